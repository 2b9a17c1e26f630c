# Timestamps and timespans.
ENV['TZ'] = 'UTC'

Texts::Subject.new('time') do
  stamp = Puppet::Pops::Time::Timestamp
  span = Puppet::Pops::Time::Timespan
  op('strftime') { |nsecs, format, zone| stamp.new(nsecs).format(format, zone) }
  op('timestamp.to_s') { |nsecs| stamp.new(nsecs).to_s }
  op('timestamp.parse') { |text, format, zone| stamp.parse(text, format || :default, zone).nsecs }
  op('utc_offset') { |zone| (stamp.utc_offset(zone) * 1_000_000_000).to_i }
  op('timespan.format') { |nsecs, format| span.new(nsecs).format(format) }
  op('timespan.to_s') { |nsecs| span.new(nsecs).to_s }
  op('timespan.parse') { |text, format| (format ? span.parse(text, format) : span.parse(text)).nsecs }
  op('timespan.to_hash') { |nsecs| s = span.new(nsecs); [s.to_hash, s.to_hash(true), s.to_f, s.to_i] }
  op('from_seconds') { |float| (span.new(0) + float).nsecs }

  moments = [0, 1, -1, 1_500_000_000_123_456_789, 951_782_400_000_000_000, 1_451_606_399_999_999_999, 1_483_228_800_000_000_000, -62_135_596_800_000_000_000, -62_198_755_200_000_000_000, -99_000_000_000_000_000_000, 253_402_300_800_000_000_000,
             1_230_768_000_000_000_000, 1_262_304_000_000_000_000, 1_293_840_000_000_000_000, 1_325_376_000_000_000_000, 1_709_164_800_500_000_000, 86_399_000_000_000]
  letters = %w[Y C y m B b h j d e H k I l M S L N z Z A a u w G g V U W s Q p P n t c D F v x X r R T + % E O i f J K q o]
  letters.each do |letter|
    ['', '-', '0', '_', '^', '#', '5', '-5', '05', '_5', '^5', '#5', '12', ':', '::', ':::', '::::', 'E', 'O', '-^', '^#', '0-', '_0', '^-12', '1', '010', '5-', '5^', ':5', '5:'].each { |flags| ask 'strftime', [moments[3], "%#{flags}#{letter}"] }
    moments.each { |m| ask 'strftime', [m, "%#{letter}"] }
  end
  ask 'strftime', *['', '%', 'a%', '%5', '%-', '%:', '%E', '%é', 'é%Yé', '%%Y', '%99999999999d', '%Ey', '%EY', '%Od', '%Oz', '%Ez', '%10n|', '%010t|', '%5%', '%^Z', '%#Z', '%#p', '%^p', '%^P', '%#P', '%^B %^a', '%10c|', '%^c', '%#c', '%-c', '%010F', '%_10F', '%^5r', '%3N', '%6N', '%12N', '%-N', '%_3L', '%03L', '%-3L', '%0N'].map { |f| [moments[3], f] }
  zones = ['UTC', '+01:00', '-01:30', '+0530', 'EST', 'PDT', 'current', 'Current', '+05:45:30', '-00:30', '+24:00', '+12:99', '-11', '+1', 'Z', 'CET', 'nowhere', '', '+9', '+930', '+093015', '+1.5', '+1,25', 'gmt+1', 'utc-2', 'GMT', 'est dst', 'EST DST', 'Eastern Standard Time', 'eastern daylight time', 'jst extra', 'A', 'J', '1', '+', 'UT+1', 'W. Europe Standard Time',
           'Central  European   Standard  Time', '+25:00', '+1:2', '+1:2:3', '-1:60', '+99', '+2400', '+1.', '+1.999999', '+0.0001', '-1.5', 'ESTX', 'est_', 'est1', 'est-1', 'gmt', 'utc+', 'utc1', '+12345', '+1234567', 'standard time', 'é', '+01:00 x', 'Z+1', '+1:', '+1::2']
  zones.each do |zone|
    ask 'utc_offset', zone
    ask 'strftime', [moments[3], '%F %T %z %:z %::z %:::z %Z|%_z %-z %10z %_10z %-:z %_:::z', zone]
  end
  moments.each { |m| ask 'timestamp.to_s', m }

  texts = ['2016-01-02', '2016-01-02 03:04:05', '2016-01-02T03:04:05', '2016-01-02T03:04:05.678', '2016-01-02 03:04:05.123456789', '2016-01-02 03:04:05.1234567891234', '2016-01-02T03:04:05 UTC', '2016-01-02T03:04:05 +01:00', '2016-01-02T03:04:05 EST', '2016-01-02T03:04:05.5 PDT', '2016-01-02 CET', '2016-01-02 03:04:05 XYZ', '2016-1-2', '16-01-02', '2016-13-01', '2016-02-30', '2016-02-31 24:00:00',
           '2016-02-31 24:00:01', '2016-01-02 24:01:00', '2016-01-02 23:59:60', '2016-01-02 25:00:00', '', 'x', '2016-01-02x', '-2016-01-02', '+2016-01-02', '99999-01-02', '2016-01-02  03:04:05', '2016-01-02T3:4:5', '2016-01-02T03:04:05.-5', '2016-01-02T03:04:05.+5', '0000-01-01', '0001-01-01', '2016-01-02T03:04:05Z', '2016-01-02T03:04:05+01:00', "2016-01-02\t03:04:05", '2016-01-32', '2016-00-01']
  texts.each { |t| ask 'timestamp.parse', [t], [t, nil, 'EST'], [t, nil, '+02:00'], [t, nil, ''] }
  pairs = [['2016-01-02', '%Y-%m-%d'], ['20160102', '%Y%m%d'], ['160102', '%y%m%d'], ['690102', '%y%m%d'], ['2016-002', '%Y-%j'], ['Jan 2 2016', '%b %d %Y'], ['january  2 2016', '%B %e %Y'], ['Sat Jan  2 03:04:05 2016', '%c'], ['01/02/16', '%D'], ['01/02/16', '%x'], ['3 pm 2016', '%I %p %Y'], ['12 a.m. 2016', '%I %p %Y'], ['12 PM 2016', '%l %P %Y'], ['13 pm 2016', '%I %p %Y'], ['2016 3', '%Y %H'],
           ['1451703845', '%s'], ['1451703845123', '%Q'], ['20 16', '%C %y'], ['2016 20', '%y %C'], ['2016-W01-6', '%G-W%V-%u'], ['2016 5', '%Y %w'], ['2016 53', '%Y %U'], ['2016 54', '%Y %W'], ['2016%', '%Y%%'], ['2016 %', '%Y %i'], ['2016%i', '%Y%i'], ['2016 2', '%EY %Od'], ['2016%Ed', '%Y%Ed'], ['2016+01:00', '%Y%z'], ['2016 +01:00', '%Y %:z'], ['2016 +01:00:30', '%Y %::z'], ['2016 x', '%Y %::::z'], ['2016 Pacific Standard Time', '%Y %Z'],
           ['2016 5 UTC rest', '%Y %m %Z'], ['2016  5', '%Y%n%t%m'], ['3:04 2016', '%R %Y'], ['03:04:05 PM 2016', '%r %Y'], ['2-Jan-2016', '%v'], ['Sat Jan  2 03:04:05 UTC 2016', '%+'], ['2016 .5', '%Y .%N'], ['2016123', '%Y%L'], ['2016123456', '%Y%N%m'], ['20160512', '%Y%L%m'], ['é2016', 'é%Y'], ['2016', '%Y%'], ['2016%', '%Y%'], ['2016 99', '%Y %H'], ['2016 60', '%Y %S'], ['2016 61', '%Y %S'], ['2016 7', '%Y %u'], ['2016 8', '%Y %u'],
           ['2016 mon', '%Y %a'], ['2016 Mond', '%Y %A'], ['2016 Monday', '%Y %a'], ['2016 foo', '%Y %a'], ['2016 367', '%Y %j'], ['16 20', '%g %C'], ['-5', '%Y'], ['2016', '%F'], ['  2016', ' %Y'], ['2016  ', '%Y '], ['2016', '%Y '], ['am 2016 5', '%p %Y %H'], ['2016 amx', '%Y %p'], ['2016am', '%Yam']]
  pairs.each { |row| ask 'timestamp.parse', row, row + ['EST'] }
  ask 'timestamp.parse', ['2016-01-02', %w[%Y/%m/%d %Y-%m-%d]], ['2016-01-02', ['%H']], ['2016-01-02 EST', ['%F %Z', '%F'], 'PST'], ['2016', []]

  spans = [0, 1, -1, 999, 1000, 1_000_000, 1_500_000_000, -1_500_000_000, 86_400_000_000_000, 90_061_001_002_003, -90_061_001_002_003, 100 * 86_400 * 10**9, 3_600_000_000_000, 59_999_999_999, 120_000_000, 10**18, 10**20, 500_000_000, 50_000_000]
  formats = ['%D', '%H', '%M', '%S', '%L', '%N', '%-D', '%-H', '%-M', '%-S', '%-L', '%-N', '%_D', '%_H', '%_N', '%_L', '%5D', '%05D', '%_5D', '%-5D', '%3N', '%6N', '%12N', '%-3N', '%_3N', '%03N', '%D-%H:%M:%S.%N', '%D-%H:%M:%S.%L', '%D-%H:%M:%S.%-L', '%D-%H:%M:%S.%_3N|', '%H:%M', '%S.%L', '%S.%N', '%S.%3N', '%S.%-3N', '%S.%_6N|', '%%', 'x', '', '%D%D', '%M %H', 'é%D', '%S.%12N', '%00D', '%-0D', '%_0D', '%H %D', '%5L', '%S %5L|', '%S %-5L|', '%S %_5L|', '%1N', '%S.%1N',
             '%', '%-', '%5', '%x', '%--D', '%-_D', '%5-D', 'a%', 'a%5x', '%_', '%D %', '%-5', '% D', '%^D']
  spans.product(formats).each { |row| ask 'timespan.format', row }
  spans.each { |s| ask 'timespan.to_s', s }
  spans.each { |s| ask 'timespan.to_hash', s }
  texts = ['', '1', '-1', '1-02:03:04.5', '02:03:04.5', '03:04.5', '4.5', '1-02:03:04', '02:03:04', '1-02:03', '5', '-1-00:00:00.0', 'x', '1:2', '1:2:3', '100:00:00', '1-25:61:61', '1.000000001', '1.0000000001', '--1', '1-', ' 1', '1 ', '0.5', '1-02:03:04.500', '99999999999-00:00', '12', '007', '1%', 'é1', '0001', '1 2', '  1', "1\n"]
  texts.each { |t| ask 'timespan.parse', [t], *formats.map { |f| [t, f] } }
  ask 'timespan.parse', ['1:2', ['%D', '%H:%M']], ['x', ['%D', '%H']], ['1', ['%x', '%D']], ['1', []]
  ask 'from_seconds', 0.0, 1.5, -1.5, 0.1, 1e-9, 1e-10, 123456789.123456789, -0.3, 1e9

  random('strftime') { |r| [r.integer * r.pick([1, 1, 100]), Array.new(3) { "%#{r.pick(['', '', '-', '0', '_', '^', '#', '5', '-^', '_7', '012'])}#{r.pick(letters)}" }.join(' '), r.pick([nil, nil, '+05:30', '-0800', 'CEST'])] }
  random('timestamp.parse') { |r| [format('%04d-%02d-%02d%s%02d:%02d:%02d%s%s', r.below(3000), r.between(1, 12), r.between(1, 31), r.pick(['T', ' ']), r.below(25), r.below(60), r.below(61), r.pick(['', ".#{r.below(10**r.between(1, 11))}"]), r.pick(['', ' UTC', ' -03:00', ' JST']))] }
  random('timestamp.parse') { |r| fs = Array.new(r.between(1, 4)) { r.pick(%w[%Y %m %d %H %M %S %y %b %j %N %Z %I %p %F %T - :]) }; f = fs.join(r.pick(['', ' ', '-'])); [Time.at(r.below(2**32)).utc.strftime(f), f] }
  random('utc_offset') { |r| [r.text(%w[+ - 1 2 0 30 : . , utc gmt est x e] + [' dst', ' '], 5)] }
  random('timespan.format') { |r| [r.integer, Array.new(r.between(1, 4)) { "%#{r.pick(['', '', '-', '_', '0'])}#{r.pick(['', '', '3', '9', '12'])}#{r.pick(%w[D H M S L N])}" }.join(r.pick(['', ':', ' ']))] }
  random('timespan.parse') { |r| f = Array.new(r.between(1, 4)) { "%#{r.pick(['', '', '-', '_', '0'])}#{r.pick(['', '', '', '3', '9'])}#{r.pick(%w[D H M S L N])}" }.join(r.pick(['', ':', ' '])); [span.new(r.integer.abs >> 10).format(f), f] }
  random('timespan.parse') { |r| [r.text(%w[1 2 30 : - .] + [' '], 8)] }
end
