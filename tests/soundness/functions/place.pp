function place(String $name) >> String { "place of ${name}" }
