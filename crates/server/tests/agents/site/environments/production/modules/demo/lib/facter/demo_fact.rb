Facter.add(:demo_fact) { setcode { 'from the server' } }
