function environment::place(String $name) >> String { "place of ${name}" }
