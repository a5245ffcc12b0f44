import type { SandboxUnavailable } from '../../ports/sandbox.ts'

/** What the machine is like, where it explains a failure. */
export interface HostHints {
  /** `kernel.apparmor_restrict_unprivileged_userns` is on (Ubuntu 23.10 and later). */
  apparmorRestricts: boolean
  /** Baton runs in a container. */
  inContainer: boolean
}

const APPARMOR_REMEDY =
  'Allow it for bubblewrap only: install the package `apparmor-profiles`, copy /usr/share/apparmor/extra-profiles/bwrap-userns-restrict to /etc/apparmor.d/ and run `sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`. Then restart Baton.'
const CONTAINER_REMEDY =
  'Start the container with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`, or run Baton outside it.'

/** Why a contained command did not run, from what bubblewrap printed. */
export function explainFailure(said: string, hints: HostHints): SandboxUnavailable {
  const line = said.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  const unavailable = (
    code: SandboxUnavailable['code'],
    reason: string,
    remedy: string,
  ): SandboxUnavailable => ({
    available: false,
    code,
    reason,
    remedy,
  })
  if (/Unknown option|unrecognized option/i.test(said))
    return unavailable(
      'program-too-old',
      `bubblewrap is too old (${line}).`,
      'Install bubblewrap 0.8 or later.',
    )
  if (/max_\w+_namespaces exceeded|nesting depth/i.test(said))
    return unavailable(
      'namespaces-disabled',
      'The kernel allows no more user namespaces (user.max_user_namespaces).',
      'Raise `user.max_user_namespaces`, for example with `sudo sysctl user.max_user_namespaces=10000`.',
    )
  if (/Can't mount proc|mount proc on/i.test(said))
    return unavailable(
      'container-proc',
      'This container does not let bubblewrap mount /proc.',
      CONTAINER_REMEDY,
    )
  if (
    /setting up uid map: Permission denied|RTM_NEWADDR|loopback: Failed/i.test(said) ||
    (hints.apparmorRestricts && isRefused(said))
  )
    return unavailable(
      'apparmor',
      'AppArmor does not let bubblewrap create user namespaces (Ubuntu 23.10 and later).',
      APPARMOR_REMEDY,
    )
  if (/Failed to make \/ slave|pivot_root/i.test(said) || (hints.inContainer && isRefused(said)))
    return unavailable(
      'container-seccomp',
      'The container’s security profile does not allow namespaces (Docker’s default).',
      CONTAINER_REMEDY,
    )
  if (isRefused(said))
    return unavailable(
      'namespaces-disabled',
      'The kernel does not let ordinary users create namespaces.',
      'Run `sudo sysctl kernel.unprivileged_userns_clone=1`; in a Docker container, start it with `--security-opt seccomp=unconfined`.',
    )
  return unavailable(
    'failed',
    `bubblewrap failed: ${line || 'it printed nothing'}`,
    'Run `bwrap --unshare-all --ro-bind / / true` to see the same error.',
  )
}

const isRefused = (said: string): boolean =>
  /No permissions to creat|Creating new namespace failed|Operation not permitted|Permission denied/i.test(
    said,
  )
