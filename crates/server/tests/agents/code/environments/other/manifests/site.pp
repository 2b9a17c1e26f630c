notify { "other ${trusted['certname']}": }
