fail('always')
