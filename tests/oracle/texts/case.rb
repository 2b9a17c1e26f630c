# Upper and lower case of whole Unicode.
Texts::Subject.new('case') do
  %w[upcase downcase capitalize swapcase].each do |name|
    op(name) { |text| text.public_send(name) }
    ask name, '', 'abc', 'ABC', 'aBc dEf', 'straße', 'STRASSE', 'ŉ', 'ǆ', 'ǅ', 'Ǆ', 'ǆabc', 'ﬁsh', 'FISH ﬁ', 'İ', 'ı', 'i', 'Σ', 'ΑΣ', 'ΑΣ Σ', 'ΑΣΑ', 'σς', 'ß', 'ẞ', 'ΐ', 'ᾳ', 'ᾼ', 'ᾀ', 'ა', 'Ა', 'ꭰ', 'Ꭰ', 'ꭰꭰ', 'Ꭰꭰ', 'ⅷ', 'ⓐ', 'K', 'Å', 'ſ', '日本', "a\u0301", '1a', ' a', 'éÉ', 'ÿ', 'Ⱥ', 'և', 'ﬓ', 'ŉabc', 'ǰ', '𐐀', '𞤀', 'Ω', 'ω'
    random(name) { |r| [Array.new(r.between(1, 3)) { [r.pick([r.below(0x250), 0x370 + r.below(0x1d0), r.below(0xd800), 0x10400 + r.below(0x1000), 0x1e900 + r.below(0x60), 0xfb00 + r.below(0x20), 0x1f00 + r.below(0x100)])].pack('U') }.join] }
  end
end
