# String#scanf. Ruby 3 has it no more; JRuby's library still does.
library = Dir['/usr/share/jruby/lib/ruby/stdlib/scanf.rb', '/usr/lib/ruby/*/scanf.rb'].first
if library
  require library

  Texts::Subject.new('scanf') do
    op('scanf') { |text, format| text.scanf(format) }

    texts = ['', ' ', '42', '-42', '+42', '0', '007', '0x1f', '-0x1F', '089', '3.14', '-3.14e5', '1e5', '.5', '5.', '5.e+3', '0x1.8p3', 'abc', 'abc def', '  abc', "a\nb", '12abc', 'abc12', '1 2 3', '1,2', 'é日', '50%', '%', 'a%b', '99999999999999999999', '[x]', 'x=1', '2016-01-02', '10:20', 'name: value', '  7', '1.2.3.4', '-', '+', '0b1', '1_000']
    formats = ['%d', '%i', '%u', '%x', '%X', '%o', '%f', '%e', '%g', '%a', '%A', '%F', '%s', '%c', ' %c', '%2d', '%3i', '%1i', '%2x', '%5x', '%2o', '%3f', '%2s', '%3c', ' %3c', '%*d', '%*s%d', '%d%s', '%d %d', '%d,%d', '%s %s', '%[a-z]', '%3[a-z]', '%[^0-9]', '%*[a-z]%d', '%[[:alpha:]]', '%2[[:digit:]]', '%%', '%d%%', 'x=%d', 'abc', 'abc%d', '%y', '%D', '%S', '%', '', ' ', '%d-%d-%d', '%d:%d', '%s: %s', '%d.%d.%d.%d', '%0d', '%c%c', "%d\n", '%[]', '%[', '%ld', '%5.2f', '%s%c', '%1o', '%1x', '%3x', '%4i', '%2i', '%*c%s']
    texts.product(formats).each { |row| ask 'scanf', row }
    pieces = %w[1 2 -3 0x1f 017 abc é . , : % 1.5 2e3] + [' ', "\n", '  ']
    random('scanf') { |r| [r.text(pieces, 5), r.text(%w[%d %i %x %o %f %s %c %2d %3s %[a-z] %*d %% , : a .] + [' '], 4)] }
  end
end
