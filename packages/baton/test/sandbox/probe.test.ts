import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { explainFailure } from '../../src/adapters/bubblewrap/failure.ts'
import { onPath } from '../../src/adapters/system/on-path.ts'
import { testSandbox } from '../world/sandbox.ts'
import { scratch } from '../world/scratch.ts'

const here = { apparmorRestricts: false, inContainer: false }
const bash = dirname(onPath('bash', process.env) ?? '/bin/bash')

/** What bubblewrap printed on other machines, word for word, and the code and remedy Baton makes of it. */
const RECORDED = [
  {
    machine: 'Ubuntu 24.04, AppArmor',
    said: 'bwrap: setting up uid map: Permission denied',
    hints: { ...here, apparmorRestricts: true },
    code: 'apparmor',
    remedy: /bwrap-userns-restrict/,
  },
  {
    machine: 'Ubuntu 24.04, AppArmor, at the network',
    said: 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted',
    hints: here,
    code: 'apparmor',
    remedy: /apparmor_parser/,
  },
  {
    machine: 'Docker’s default seccomp profile',
    said: 'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. See <https://deb.li/bubblewrap> or <file:///usr/share/doc/bubblewrap/README.Debian.gz>.',
    hints: { ...here, inContainer: true },
    code: 'container-seccomp',
    remedy: /seccomp=unconfined/,
  },
  {
    machine: 'Docker without seccomp',
    said: 'bwrap: Failed to make / slave: Permission denied',
    hints: { ...here, inContainer: true },
    code: 'container-seccomp',
    remedy: /apparmor=unconfined/,
  },
  {
    machine: 'Kubernetes with CAP_SYS_ADMIN',
    said: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    hints: { ...here, inContainer: true },
    code: 'container-proc',
    remedy: /seccomp=unconfined/,
  },
  {
    machine: 'Debian 10',
    said: 'bwrap: Creating new namespace failed: Operation not permitted',
    hints: here,
    code: 'namespaces-disabled',
    remedy: /unprivileged_userns_clone=1/,
  },
  {
    machine: 'a limit of zero',
    said: 'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
    hints: here,
    code: 'namespaces-disabled',
    remedy: /max_user_namespaces/,
  },
  {
    machine: 'bubblewrap 0.6',
    said: 'bwrap: Unknown option --disable-userns',
    hints: here,
    code: 'program-too-old',
    remedy: /0\.8/,
  },
] as const

describe('the probe', () => {
  it('contains a command for real and says what this machine can do', async () => {
    await using folder = scratch()
    const status = await testSandbox(folder.path).probe()
    expect(status).toEqual({
      available: true,
      program: expect.stringMatching(/^bubblewrap \d+\.\d+/),
      capabilities: { privateLoopback: true, sharedLoopback: true, backgroundProcesses: true },
    })
    expect(readdirSync(join(folder.path, 'sandbox/sessions'))).toEqual([])
  })

  it('says how to install bubblewrap where it is missing', async () => {
    await using folder = scratch()
    expect(await testSandbox(folder.path, undefined, '/nowhere').probe()).toMatchObject({
      available: false,
      code: 'program-missing',
      remedy: expect.stringContaining('apt-get install bubblewrap'),
    })
  })

  it.each(RECORDED)('explains what bubblewrap says: $machine', ({ said, hints, code, remedy }) => {
    expect(explainFailure(said, hints)).toMatchObject({
      available: false,
      code,
      remedy: expect.stringMatching(remedy),
    })
  })

  it.each(RECORDED)('is off, never weaker, if bubblewrap fails: $machine', async ({ said }) => {
    await using folder = scratch()
    folder.write('bin/said', said)
    const text = '#!/bin/sh\n[ "$1" = --version ] && { echo "bubblewrap 0.8.0"; exit; }\n'
    folder.write(
      'bin/bwrap',
      `${text}echo $(printf "%s " "$@") >> '${folder.path}/calls'\ncat '${folder.path}/bin/said' >&2; exit 1\n`,
      0o755,
    )
    mkdirSync(join(folder.path, 'state'))
    const sandbox = testSandbox(join(folder.path, 'state'), undefined, `${folder.path}/bin:${bash}`)
    const status = await sandbox.probe()
    expect(status).toMatchObject({ available: false, reason: expect.any(String), remedy: expect.any(String) })
    await expect(sandbox.open('ses_any')).rejects.toThrow()
    // Each attempt asked for the whole boundary.
    for (const call of readFileSync(join(folder.path, 'calls'), 'utf8').trim().split('\n'))
      expect(call).toMatch(/--unshare-user .*--unshare-net --unshare-pid|--args 3/)
  })

  it('refuses a bubblewrap that contains nothing', async () => {
    await using folder = scratch()
    const lax =
      '#!/bin/bash\n[ "$1" = --version ] && { echo "bubblewrap 0.8.0"; exit; }\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n'
    folder.write('bin/bwrap', lax, 0o755)
    mkdirSync(join(folder.path, 'state'))
    const path = `${folder.path}/bin:${bash}`
    expect(await testSandbox(join(folder.path, 'state'), undefined, path).probe()).toMatchObject({
      available: false,
      code: 'not-enforced',
    })
  })

  it('refuses a version without --disable-userns', async () => {
    await using folder = scratch()
    folder.write('bin/bwrap', '#!/bin/sh\necho "bubblewrap 0.6.1"\n', 0o755)
    const path = `${folder.path}/bin:${bash}`
    expect(await testSandbox(folder.path, undefined, path).probe()).toMatchObject({ code: 'program-too-old' })
  })

  it('gives each call namespaces of its own where a session cannot have them', async () => {
    await using folder = scratch()
    const real = onPath('bwrap', process.env)
    // A machine on which the holder fails: it is the one call that writes its process number.
    folder.write(
      'bin/bwrap',
      `#!/bin/bash\ncase " $* " in *--info-fd*) echo 'bwrap: no' >&2; exit 1 ;; esac\nexec ${real} "$@"\n`,
      0o755,
    )
    mkdirSync(join(folder.path, 'state'))
    const sandbox = testSandbox(
      join(folder.path, 'state'),
      undefined,
      `${folder.path}/bin:${process.env.PATH}`,
    )
    expect(await sandbox.probe()).toMatchObject({
      available: true,
      capabilities: { privateLoopback: true, sharedLoopback: false, backgroundProcesses: false },
    })
  })
})
