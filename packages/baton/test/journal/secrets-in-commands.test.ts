import { describe, expect, it } from 'vitest'
import { makeRedactor } from '../../src/journal/redact.ts'

const { text } = makeRedactor()

describe('a secret on a command line or in a setting', () => {
  it.each([
    // A command that names a user takes the user's secret in another option, whatever program it is.
    ['sqlcmd -S host -U sa -P Komet#Halley -Q "select 1"', 'Komet#Halley'],
    ['snmpget -u mon -A Alnitak88pole -X Mintaka99pole host', 'Mintaka99pole'],
    ['lftp -u observer,Cassiopeia_5 sftp://archive.example', 'Cassiopeia_5'],
    ['xfreerdp /u:kasse /p:Perseiden12 /v:10.4.7.21', 'Perseiden12'],
    ['unheard-of --user bob -w grape-Fruit host', 'grape-Fruit'],
    ['sudo sqlcmd -U sa -P Komet-Halley', 'Komet-Halley'],
    // A word that is the name of a secret comes before it.
    ['nmcli dev wifi connect Obsthof password elstar-cox-jonagold', 'elstar-cox-jonagold'],
    // What a program that asks for a secret reads.
    ["printf '%s' 'cider_press_4' | cryptsetup open /dev/sdb1 store -", 'cider_press_4'],
    ["sudo chpasswd <<< 'moderator:Mikro_phon6'", 'Mikro_phon6'],
    ['psql "host=db user=notary password=folio-verso dbname=deeds"', 'folio-verso'],
    // Settings.
    ['smtp:\n  pass: "mond-und-mars"', 'mond-und-mars'],
    ['export MAIL_PASS=blotting-paper', 'blotting-paper'],
    ['      POSTGRES_PASSWORD: keelhaul', 'keelhaul'],
    ['  "smtpPass": "lower-lip",', 'lower-lip'],
    ['<add key="CustomsSecret" value="stevedore-77-Gantry" />', 'stevedore-77-Gantry'],
    ['machine host login freight password bollard_and_buoy', 'bollard_and_buoy'],
    ['db.example:5432:lots:bob:Morbier_cendre7', 'Morbier_cendre7'],
    ['Cookie: theme=dark; sessionid=k3v9q0z8w1m2', 'k3v9q0z8w1m2'],
    ['https://cdn.example/a.mp3?sv=2024-11-04&sig=p9Zr0fQ2mXw7', 'p9Zr0fQ2mXw7'],
    // In prose.
    ['spoken code is seven three zero nine', 'seven three zero nine'],
    ['the PIN: four, seven, one, one.', 'four, seven, one, one'],
    ['a senha do wifi é pastel.de.nata8', 'pastel.de.nata8'],
    ['비밀번호는 kimchi_jjigae3 입니다', 'kimchi_jjigae3'],
    ['echo hunter2x | sudo -S ls', 'hunter2x'],
  ])('is removed once: %s', (line, secret) => {
    const clean = text(line)
    expect(clean).not.toContain(secret)
    expect(clean).toContain('[redacted')
    expect(clean).not.toMatch(/\[redacted[^\]]*\[redacted/)
    expect(text(clean)).toBe(clean)
  })

  it.each([
    'docker run -d -p 8080:80 -u 1000:1000 nginx:1.27.3-alpine',
    'psql -U postgres -p 5432 -h localhost mydb',
    'ssh -l bob -p 2222 host1 && cp -p a1.txt b2.txt',
    'sudo -u postgres psql -p 5433 db2',
    'curl -X POST -u "$SPRAYER_USER:$SPRAYER_PW" https://sprayer.example',
    'grep -rn password src/auth2 | head -5',
    'echo foo-2 | docker build -',
    'docker compose -p shop-v2 exec -u node web npm test',
    'docker-compose -p shop_2 -f a.yml exec -u www-data web bash',
    'docker exec -u www-data -w var-2x web ls',
    'sudo -u deploy kubectl exec -p var-2x web',
    'mvn -DskipTests -P release2 deploy',
    'mvn -D env=x -P release2 deploy',
    'python -u train.py -p conf-2x',
    'cut -d , -f 1 a.csv -W x2y3',
    'gcc -lm main.c -p out-2x && sort -u names -k key2',
    'Add tests for the code path with zero, one, two items',
    'The code handles one, two, three or more arguments',
    'the code is one, two, three, four items long',
    'opcode one, two, three',
    'opcode is one, two, three, four',
    'encode un, deux, trois items',
    'src/app.ts:1204:error:unused:var-x2',
    'app.ts:1204:error:unused:var-x2',
    'nginx:1.27:8080:web:app:conf2',
    'db.ts:5432:12: error in var-x2',
    '7z x -p[redacted: password] sicherung.7z',
    'password: user.password,\n  token: z.string(),\n  secret: true',
    'pw = pw + 1',
    'bypass: "every-Rule1"',
    'CACHE_KEY: cacheKey,',
    'price_id = "price_1OaBcDeFgHiJkLmN"',
    'host key SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8',
    'my key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
    'the keypad is next to room two, the code of step three is done',
  ])('is not seen in %s', line => expect(text(line)).toBe(line))

  it('is taken from its own key only', () => {
    const clean = text('{"token":"levain88crumb","job":"job_01HZX3K9"}')
    expect(clean).not.toContain('levain88crumb')
    expect(clean).toContain('job_01HZX3K9')
  })

  it.each([
    ['many options', 'x -u bob ', '-p a1b2 '],
    ['many users', '', '-u a -p b1c-d '],
    ['many users of many programs', '', 'x -u a -p b1c-d; '],
    ['many quotes', 'echo ', `"'`],
    ['many fields', '', 'ab:5432:c:d:'],
    ['a long setting', 'password = ', 'a-1'],
    ['many digits in words', 'code is ', 'one two '],
    ['many cookies', 'cookie: ', 'session '],
    ['many placeholders', 'echo ', '[redacted: password] | sudo -S '],
    ['many labels', 'PIN ', 'order number '],
  ])('is looked for in linear time: %s', (_, start, part) => {
    // Of the processor, so that other work on the machine does not count.
    const took = (length: number) => {
      const hostile = start + part.repeat(length / part.length)
      const times = [1, 2, 3].map(() => {
        const began = process.cpuUsage()
        text(hostile)
        const { user, system } = process.cpuUsage(began)
        return (user + system) / 1000
      })
      return Math.min(...times)
    }
    took(10_000)
    // Ten times the text takes about ten times as long; quadratic work would take a hundred times.
    expect(took(100_000)).toBeLessThan(25 * Math.max(took(10_000), 4))
  })
})
