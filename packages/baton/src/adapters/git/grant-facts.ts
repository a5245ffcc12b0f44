import { createHash } from 'node:crypto'
import { readdir, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { GitFacts, GrantFacts, PushNaming } from '../../ports/grant-facts.ts'
import { git } from './git.ts'

/** Reads what decides where a push goes. Runs nothing that the repository names. */
export const gitGrantFacts: GrantFacts = {
  async read(folder) {
    const [where, branch, list, hooks] = await Promise.all([
      git(folder, ['rev-parse', '--show-toplevel']),
      git(folder, ['symbolic-ref', '--short', '-q', 'HEAD'], {}, [1]),
      git(folder, ['config', '--list', '-z', '--show-scope']),
      git(folder, ['rev-parse', '--git-common-dir']),
    ])
    const root = where?.trimEnd()
    if (!root || list === undefined || branch === undefined || hooks === undefined) return undefined
    const settings = parseSettings(list)
    const own = settings.findLast(({ key }) => key === 'core.hookspath')?.value
    const common = hooks.trimEnd()
    const place = own ?? join(isAbsolute(common) ? common : join(folder, common), 'hooks')
    return {
      root: await realpath(root),
      ...factsOf(settings, branch.trim() || undefined),
      hooks: await hooksIn(isAbsolute(place) ? place : join(root, place)),
    }
  },

  async bases(folder, remotes) {
    const names = remotes.flatMap(remote => ['main', 'master'].map(name => `${remote}/${name}`))
    const [said, ...heads] = await Promise.all([
      git(folder, [
        'for-each-ref',
        '--format=%(refname:short)',
        ...names.map(name => `refs/remotes/${name}`),
      ]),
      ...remotes.map(remote => git(folder, ['symbolic-ref', '--short', '-q', `refs/remotes/${remote}/HEAD`])),
    ])
    const known = said?.split('\n').filter(Boolean) ?? []
    return [
      ...new Set([
        ...names.filter(name => known.includes(name)),
        ...heads.flatMap(head => head?.trim() || []),
      ]),
    ]
  },
}

interface Setting {
  key: string
  value: string
}

/** Parses `git config --list -z --show-scope`, without what Baton itself sets for the call. */
function parseSettings(list: string): Setting[] {
  const parts = list.split('\0')
  const settings: Setting[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope, entry = ''] = [parts[at], parts[at + 1]]
    const end = entry.indexOf('\n')
    if (scope !== 'command')
      settings.push({
        key: end === -1 ? entry : entry.slice(0, end),
        value: end === -1 ? 'true' : entry.slice(end + 1),
      })
  }
  return settings
}

function factsOf(settings: readonly Setting[], branch: string | undefined): Omit<GitFacts, 'root' | 'hooks'> {
  const last = (key: string) => settings.findLast(each => each.key === key)?.value
  const names = [
    ...new Set(settings.flatMap(({ key }) => /^remote\.(.+)\.(?:push)?url$/s.exec(key)?.[1] ?? [])),
  ]
  const [only, ...others] = names
  const usual = others.length === 0 ? (only ?? 'origin') : 'origin'
  const from = branch === undefined ? undefined : last(`branch.${branch}.remote`)
  const stable = settings.filter(({ key }) => !key.startsWith('branch.'))
  return {
    branch,
    settings: createHash('sha256').update(JSON.stringify(stable)).digest('base64url'),
    push: pushMode(settings, last),
    pushesTo:
      (branch === undefined ? undefined : last(`branch.${branch}.pushremote`)) ??
      last('remote.pushdefault') ??
      from ??
      usual,
    fetchesFrom: from ?? usual,
    remotes: names.map(name => {
      const url = last(`remote.${name}.pushurl`) ?? last(`remote.${name}.url`) ?? ''
      const resolved = last(`remote.${name}.gh-resolved`)
      return { name, url, ...(resolved === undefined ? {} : { resolved }) }
    }),
  }
}

function pushMode(settings: readonly Setting[], last: (key: string) => string | undefined): PushNaming {
  const isOn = (value: string | undefined) => value !== undefined && !/^(false|no|off|0|)$/i.test(value)
  const submodules = last('push.recursesubmodules') ?? last('submodule.recurse')
  if (isOn(last('push.followtags')) || (isOn(submodules) && submodules !== 'check')) return 'none'
  if (settings.some(({ key, value }) => /^remote\..+\.mirror$/s.test(key) && isOn(value))) return 'none'
  if (settings.some(({ key }) => /^remote\..+\.push$/s.test(key))) return 'target'
  return /^(simple|current)$/i.test(last('push.default') ?? 'simple') ? 'any' : 'target'
}

/** Those that git would run: samples have another ending. */
async function hooksIn(folder: string): Promise<string[]> {
  const found = await readdir(folder).catch(() => [])
  return found.filter(name => /^[a-z][a-z-]*$/.test(name)).slice(0, 100)
}
