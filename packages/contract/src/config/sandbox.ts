import { z } from 'zod'
import { choice, flag, section, setting } from '../setting.ts'

/** Whether commands run in the sandbox unless a setting says otherwise. */
const DEFAULT_MODE = 'on'

export const Folder = setting(
  z
    .string()
    .max(1000)
    .regex(/^(\/|~\/)[^\p{Cc}]*$/u),
  'An absolute path, or one that starts with ~/.',
  { expects: 'an absolute path, or one that starts with ~/' },
)
const folders = (description: string) =>
  setting(z.array(Folder).max(100).default([]), description, {
    expects: 'a list of absolute paths',
    accumulates: true,
    trust: 'needed',
  })

const Host = setting(
  z
    .string()
    .max(300)
    .regex(
      /^(?:(?:\*|[A-Z]{1,16}(?:,[A-Z]{1,16})*) )?(?:https?:\/\/)?(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::\d{1,5})?$/i,
    ),
  'A host such as `api.example.com`, with `http://`, a port or methods if needed: `GET,POST http://api.example.com:8080`. Without methods only reads are allowed; `*` means all.',
  { expects: 'a host, such as api.example.com or "GET,POST api.example.com:8443"' },
)

const hosts = z.array(Host).max(200).default([])
const Port = setting(z.int().min(1).max(65_535), 'A TCP port of this machine.', {
  expects: 'a port from 1 to 65535',
})
const ports = z.array(Port).max(100).default([])

/** What one project's commands may use in addition. Baton adds such entries when a person answers "for this project". */
export const ProjectAccess = z.strictObject({
  project: Folder,
  hosts,
  ports,
  readable: z.array(Folder).max(100).default([]),
})

export const sandbox = section('Where commands of agents run.', {
  mode: choice(
    ['on', 'off', 'strict'],
    DEFAULT_MODE,
    'Whether commands run in the sandbox. `on`: where this machine has one. `strict`: without a sandbox, no command runs. `off`: never.',
    { trust: 'to-loosen', looser: ['strict', 'on', 'off'] },
  ),
  readable: folders('Files and folders outside the project that commands in the sandbox may read.'),
  writable: folders(
    'Files and folders outside the project that commands in the sandbox may read and change.',
  ),
  hosts: setting(
    hosts,
    'Servers that commands in the sandbox may contact in addition to package registries.',
    { expects: 'a list of hosts', accumulates: true, trust: 'needed' },
  ),
  ports: setting(
    ports,
    'TCP ports of this machine, such as that of a database, that commands in the sandbox may connect to as on the machine itself.',
    { expects: 'a list of ports', accumulates: true, trust: 'needed' },
  ),
  projects: setting(
    z.array(ProjectAccess).max(500).default([]),
    'Hosts, ports and readable folders for single projects: a list of `{project: ~/work/shop, hosts: [...], ports: [...], readable: [...]}`. Baton adds what you allow "for this project".',
    { expects: 'a list of projects', accumulates: true, trust: 'needed' },
  ),
  sign_commits: flag(
    false,
    'Sign commits that agents make in the sandbox with your own key, if your git settings sign commits (`commit.gpgsign`). The key stays outside.',
    { trust: 'to-loosen', looser: [false, true] },
  ),
  env_files: choice(
    ['hidden', 'visible'],
    'hidden',
    "What commands in the sandbox find in the project's `.env` files: nothing, or what is in them.",
    { trust: 'to-loosen', looser: ['hidden', 'visible'] },
  ),
})
