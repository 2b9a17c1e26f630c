function profile::twice(Numeric $n) >> Numeric { $n * 2 }
