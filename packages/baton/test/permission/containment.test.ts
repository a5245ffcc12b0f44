import { Config, type ConfigInput } from '@batonpass/contract/config'
import { describe, expect, test } from 'vitest'
import {
  type ContainmentPlace,
  hiddenInside,
  questionInside,
  whyOutside,
} from '../../src/permission/containment.ts'
import { judge } from '../../src/permission/judge.ts'
import { rulesInForce } from '../../src/permission/rules-in-force.ts'
import type { UnnamedWrites } from '../../src/ports/unnamed-writes.ts'

const HOME = '/home/dev'
const WORKTREE = `${HOME}/project`
const ON_HOST = [
  '/tmp/host.txt',
  '/srv/data/table.csv',
  `${HOME}/notes.txt`,
  `${WORKTREE}/src`,
  `${WORKTREE}/a.txt`,
]

const outside = (
  command: string,
  {
    config = {},
    place = {},
    brings = false,
  }: { config?: ConfigInput; place?: Partial<ContainmentPlace>; brings?: boolean } = {},
) => {
  const rules = rulesInForce(Config.parse(config), { worktree: WORKTREE, home: HOME })
  const request = { tool: 'Bash', input: { command }, cwd: WORKTREE, worktree: WORKTREE, home: HOME }
  return whyOutside(
    judge(request, rules),
    { worktree: WORKTREE, cwd: WORKTREE, home: HOME, readable: [], writable: [], ...place },
    { exists: path => ON_HOST.includes(path), mayChange: async () => brings },
  )
}

describe('a command runs in the sandbox', () => {
  test('that downloads only from hosts that answer inside', async () => {
    const place = { hosts: ['api.example.com', 'http://old.example:8080'] }
    const inside = 'curl -s https://api.example.com/x && wget -q http://old.example:8080/y'
    expect(await outside(inside, { place })).toBeUndefined()
    expect(await outside('curl -s https://api.example.com https://evil.example', { place })).toMatch(/evil/)
    expect(await outside('curl -s http://api.example.com', { place })).toMatch(/contacts/)
    expect(await outside('curl -s "$URL"', { place })).toMatch(/network/)
    expect(await outside('ssh api.example.com', { place })).toBeDefined()
  })

  test.each([
    ['only reads', 'ls -la src && git status'],
    ["runs the project's code", 'npm test'],
    ['cannot be read', '$CMD "$(cat x)"'],
    ['is unknown', 'some-tool --go'],
    ['runs inline code', `python3 -c 'print(1)'`],
    ['commits with a computed message', `git add -A && git commit -m "$(cat <<'EOF'\nx\nEOF\n)"`],
    ['starts a server', 'npm run dev &'],
    ['asks a server of the session', 'curl -s http://localhost:3000/api'],
    ['waits for a server of the session', 'until nc -z localhost 3000; do sleep 1; done'],
    ['signals processes of the session', 'pkill -f vite; kill %1'],
    ['writes to the private temporary folder', 'npm test > /tmp/out.log; tail /tmp/out.log'],
    ['changes folder inside the project', 'cd src && touch new.txt'],
    ['builds', 'make && cargo build && go test ./...'],
    ['runs an installed package', 'npx vitest run'],
    ['reads system files', 'cat /etc/os-release /usr/include/stdio.h'],
    ['names a file of the home folder, which is not there inside', 'cat ~/notes.txt'],
    ['deletes what a snapshot brings back', 'rm -rf src'],
    ['makes a project', 'cargo init && go mod init x && poetry init -n'],
    ['publishes into a folder', 'dotnet publish -c Release'],
    ['changes a database that is a file', `sqlite3 dev.db "update users set name = 'x'"`],
    ['shows variables, of which secret ones are hidden', 'env | sort; printenv; set; echo "$API_KEY"'],
  ])('that %s: %s', async (_, command) => {
    expect(await outside(command)).toBeUndefined()
  })

  test.each<[ContainmentPlace['broker'], string[], string[]]>([
    // What the words of a call are may be known only when the broker gets them.
    [
      'dialog',
      [],
      ['git push', 'npm test && git push origin main', 'gh pr merge "$N"', 'cd "$X" && git push'],
    ],
    ['person', [], ['git push', 'npm test && git push', 'gh pr merge "$N"']],
    // The agent asks about the command itself.
    ['rules', ['git push', 'npm test && git push'], ['npm test', 'git commit -m x']],
    // The agent's own judge must see what it judges. It judges only what Baton understood.
    [
      'agent',
      ['git push', 'git add -A && git push'],
      ['npm test', 'git commit -m x', 'npm test && git push', 'bash x.sh; git push'],
    ],
  ])('that the broker does a part of, where a yes comes from: %s', async (broker, asked, inside) => {
    const place = { broker }
    for (const command of asked) expect(await outside(command, { place })).toBeDefined()
    for (const command of inside) expect(await outside(command, { place })).toBeUndefined()
  })

  test('and asks about variables only outside, but about what a rule of the person asks also inside', () => {
    const question = (command: string, config: ConfigInput = {}) => {
      const rules = rulesInForce(Config.parse(config), { worktree: WORKTREE, home: HOME })
      const request = { tool: 'Bash', input: { command }, cwd: WORKTREE, worktree: WORKTREE, home: HOME }
      const judgement = judge(request, rules)
      const [inside, inOwn] = [true, false].map(hides => questionInside(judgement, hides)?.part)
      return { text: judgement.decision, inside, inOwn }
    }
    // Variables are there in an agent's own sandbox.
    expect(question('env')).toEqual({ text: 'ask', inside: undefined, inOwn: 'env' })
    expect(question('env', { permissions: { ask: [{ program: 'env' }] } }).inside).toBe('env')
    expect(question('env; git pull', { permissions: { ask: [{ program: 'git' }] } })).toEqual({
      text: 'ask',
      inside: undefined,
      inOwn: 'env',
    })
  })

  test('of which an agent’s own sandbox would not hold what a patch brings', async () => {
    const request = {
      tool: 'Bash',
      input: { command: 'git apply x.patch' },
      cwd: WORKTREE,
      worktree: WORKTREE,
      home: HOME,
    }
    const judgement = judge(request, rulesInForce(Config.parse({}), { worktree: WORKTREE, home: HOME }))
    const place = { worktree: WORKTREE, cwd: WORKTREE, home: HOME, readable: [], writable: [] }
    const strict: boolean[] = []
    const ports = {
      exists: () => true,
      mayChange: async (...[, , , isStrict = true]: Parameters<UnnamedWrites['mayChange']>) => {
        strict.push(isStrict)
        return isStrict
      },
    }
    expect(await whyOutside(judgement, place, ports)).toBeUndefined()
    expect(await whyOutside(judgement, place, ports, true)).toMatch(/other settings/)
    expect(strict).toEqual([false, true])
  })

  test('of which a pull needs no yes, unless a rule of the person asks about it', async () => {
    const place: Partial<ContainmentPlace> = { broker: 'rules' }
    expect(await outside('git pull', { place })).toBeUndefined()
    expect(await outside('git -C . pull --ff-only origin main', { place })).toBeUndefined()
    expect(await outside('git pull && git push', { place })).toMatch(/git push/)
    expect(
      await outside('git pull', { place, config: { permissions: { ask: [{ program: 'git' }] } } }),
    ).toMatch(/git pull/)
  })

  test('that reads or writes what the settings open', async () => {
    const place = { readable: ['/srv/data'], writable: ['/srv/out'] }
    expect(await outside('wc -l /srv/data/table.csv > /srv/out/lines', { place })).toBeUndefined()
    expect(await outside('cd /srv/data && wc -l table.csv', { place })).toBeUndefined()
    expect(await outside('git -C /srv/data/repo log && make -C /srv/out', { place })).toBeUndefined()
    expect(await outside('cd /usr/include && ls', { place })).toBeUndefined()
    expect(await outside('cd /srv/data && touch new', { place })).toMatch(/writes to/)
    expect(await outside('cd /srv/data && git push', { place })).toMatch(/git push/)
  })
})

describe('its text decides about a command', () => {
  test.each([
    ['downloads packages', 'npm install left-pad', /network/],
    ['asks a registry', 'npm view left-pad', /network/],
    ['downloads from elsewhere', 'curl -s https://example.com', /contacts https:\/\/example\.com/],
    ['fetches a package to run it', 'npx -y create-vite app', /downloads/],
    ['pushes', 'npm test && git push', /git push/],
    ['changes the git configuration', 'git config user.name x', /git config/],
    ['uses containers', 'docker ps', /docker/],
    ['uses an account', 'gh pr list', /gh/],
    ['deploys', 'kubectl apply -f x.yaml', /kubectl/],
    ['asks Baton', 'baton status', /baton/],
    ['changes the machine', 'sudo apt-get install jq', /sudo/],
    ['works in another folder', 'cd /srv/other && ls', /another folder/],
    ['works on another repository', 'git -C /srv/other log', /another folder/],
    ['reads a file of another folder', 'cat /srv/data/table.csv', /reads \/srv\/data/],
    ['reads a temporary file of the host', 'cat /tmp/host.txt', /reads \/tmp\/host.txt/],
    ['writes outside the project', 'cp a.txt ~/copy.txt', /writes to/],
    ['writes protected settings', 'touch .vscode/tasks.json', /editor/],
    ['touches a secret', 'cat .env', /\.env/],
    ['opens a connection', 'cat < /dev/tcp/example.com/80', /network connection/],
  ])('that %s: %s', async (_, command, why) => {
    expect(await outside(command)).toMatch(why)
  })

  test('that starts in another folder, unless commands may read it', async () => {
    expect(await outside('ls', { place: { cwd: '/srv/other' } })).toMatch(/another folder/)
    expect(await outside('ls', { place: { cwd: '/srv/other', readable: ['/srv/other'] } })).toBeUndefined()
  })

  test('that a rule of the person denies or lets out; where one asks, it runs inside after the yes', async () => {
    const rule = [{ program: 'make' }]
    expect(await outside('make', { config: { permissions: { ask: rule } } })).toBeUndefined()
    expect(await outside('make', { config: { permissions: { deny: rule } } })).toBeDefined()
    const allow = [{ program: 'make', outside: true }]
    expect(await outside('make && ls', { config: { permissions: { allow } } })).toMatch(/lets it out/)
    // However long the command is, a rule without `outside` keeps it inside.
    const ruled = { allow: [...allow, { program: 'npm' }] }
    const long = `make; ${'true; '.repeat(210)}npm run evil`
    expect(await outside(long, { config: { permissions: ruled } })).toBeUndefined()
    // The rest of the command has no such rule.
    expect(await outside('make && npm test', { config: { permissions: { allow } } })).toBeUndefined()
    const others = { allow: [...allow, { program: 'npm' }] }
    expect(await outside('make && npm test', { config: { permissions: others } })).toBeUndefined()
  })

  test.each([
    ['make', { program: 'make' }, undefined],
    ['make test', { pattern: '^make ' }, undefined],
    ['npm test', { command: 'npm test', outside: false }, undefined],
    ['python3 -c "print(1)"', { program: 'python3' }, undefined],
    ['docker ps', { program: 'docker' }, /docker/],
    ['kubectl apply -f x.yaml', { program: 'kubectl' }, /kubectl/],
    ['curl -s https://example.com', { program: 'curl', hosts: 'example.com' }, /contacts/],
    ['cat /srv/data/table.csv', { program: 'cat' }, /reads/],
    ['cat .env', { program: 'cat', paths: '.env' }, /hidden/],
    ['wc -l < .env', { paths: '.env' }, /hidden/],
  ])('that a rule allows only if it cannot work inside: %s', async (command, rule, why) => {
    const found = await outside(command, { config: { permissions: { allow: [rule] } } })
    if (why) expect(found).toMatch(why)
    else expect(found).toBeUndefined()
  })

  test('that a person always allows, word for word: it runs inside unless it has to leave', async () => {
    const allow = (command: string) => ({ config: { permissions: { allow: [{ command }] } } })
    expect(await outside('make release', allow('make release'))).toBeUndefined()
    expect(await outside('docker ps', allow('docker ps'))).toMatch(/docker/)
    expect(await outside('npm install left-pad', allow('npm install left-pad'))).toMatch(/network/)
  })

  test('of git that may bring other protected files; a commit and an archive bring none', async () => {
    expect(await outside('git switch other', { brings: true })).toMatch(/settings/)
    expect(await outside('git switch other')).toBeUndefined()
    expect(await outside('git commit -m "$X"', { brings: true })).toBeUndefined()
    expect(await outside('tar xf a.tar', { brings: true })).toBeUndefined()
  })
})

test('files of the home folder that a command names are known to be hidden', () => {
  const rules = rulesInForce(Config.parse({}), { worktree: WORKTREE, home: HOME })
  const request = {
    tool: 'Bash',
    input: { command: 'cat ~/notes.txt a.txt' },
    cwd: WORKTREE,
    worktree: WORKTREE,
    home: HOME,
  }
  const place = { worktree: WORKTREE, cwd: WORKTREE, home: HOME, readable: [], writable: [], undo: true }
  const exists = (path: string) => ON_HOST.includes(path)
  expect(hiddenInside(judge(request, rules), place, { exists })).toEqual([`${HOME}/notes.txt`])
})

describe('a command that renders', () => {
  test.each([
    'helm template .',
    'helm template web ./charts/web -f values.yaml',
    'helm template deploy/charts/web --values=env.d/values.yaml -f env.d/more.yaml',
    'helm template . --set image=registry.example/web --set url=https://example.com',
    'helm template $CHART',
    'helm lint charts/web',
    'kustomize build',
    'kustomize build overlays/prod',
    'kustomize build ./app.d/base',
    'kubectl kustomize ../base',
    'terraform validate',
  ])('the project’s own files runs inside: %s', async command => {
    expect(await outside(command)).toBeUndefined()
  })

  test.each([
    'helm template bitnami/nginx',
    'helm template web bitnami/nginx',
    'helm template web oci://registry.example/nginx',
    'helm template web https://charts.example/nginx.tgz',
    'helm template web nginx --repo https://charts.example',
    'helm template web . -f https://example.com/values.yaml',
    'kustomize build https://github.com/org/repo',
    'kustomize build github.com/org/repo//base?ref=v1',
    'kustomize build git@github.com:org/repo',
    'kubectl kustomize https://github.com/org/repo',
    'cdk synth',
    'cdk ls',
  ])('what is elsewhere, or asks an account, is judged by its text: %s', async command => {
    expect(await outside(command)).toMatch(/outside the sandbox/)
  })
})

describe('a command that downloads packages', () => {
  test.each([
    'npm install',
    'npm ci && npm test',
    'npm i lodash',
    'yarn',
    'pnpm add -D vitest',
    'pip install -r requirements.txt',
    'uv sync',
    'cargo fetch',
    'go get example.com/x',
    'bundle install',
    'npx -y create-vite app',
    'bun install',
    'npm init -y',
    'uvx ruff check .',
    'pipx run black --check .',
    'npm audit --json',
    'npm audit fix',
    'pnpm audit',
  ])('runs in the sandbox where registries answer: %s', async command => {
    expect(await outside(command, { place: { hasRegistries: true } })).toBeUndefined()
    expect(await outside(command)).toMatch(/needs the network|downloads a package/)
  })

  test.each([
    'npm install -g typescript',
    'npm publish',
    'bun install -g x',
    'pipx install black',
    'cargo audit',
    'pip install --user x',
    'cargo install ripgrep',
    'go install example.com/x@latest',
    'cargo publish',
  ])('is judged by its text if a registry is not enough: %s', async command => {
    expect(await outside(command, { place: { hasRegistries: true } })).toBeDefined()
  })
})

describe('WebFetch', () => {
  const fetches = (url: string, config: ConfigInput, hosts: string[] = []) => {
    const rules = rulesInForce(Config.parse(config), { worktree: WORKTREE, home: HOME })
    const place = { cwd: WORKTREE, worktree: WORKTREE, home: HOME, hosts }
    return judge({ tool: 'WebFetch', input: { url }, ...place }, rules).decision
  }

  test('reads from the hosts of the sandbox: of the settings, of the project and of the session; a deny comes first', () => {
    const sandbox = {
      hosts: ['all.example'],
      projects: [
        { project: '~/project', hosts: ['here.example'] },
        { project: '~/other', hosts: ['other.example'] },
      ],
    }
    expect(fetches('https://all.example/x', { sandbox })).toBe('allow')
    expect(fetches('https://here.example', { sandbox })).toBe('allow')
    expect(fetches('https://session.example', { sandbox }, ['session.example'])).toBe('allow')
    expect(fetches('https://other.example', { sandbox })).toBe('undecided')
    expect(fetches('https://all.example.evil.example', { sandbox })).toBe('undecided')
    const permissions = { deny: [{ tool: 'WebFetch', hosts: 'all.example' }] }
    expect(fetches('https://all.example', { sandbox, permissions })).toBe('deny')
  })
})
