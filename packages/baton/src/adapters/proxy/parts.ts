import type { Blocked, HostRule } from '../../ports/network.ts'
import type { CertificateAuthority } from './certificate.ts'
import type { PackageCache } from './package-cache.ts'

export interface ProxyParts {
  authority: CertificateAuthority
  /** The servers that commands may contact now. */
  rules(): readonly HostRule[]
  /** All addresses of a host. Asked once for each connection, which then goes to the address that was checked. */
  resolve(host: string): Promise<readonly string[]>
  /** Ports on this machine's loopback that are never reached, whatever the rules say: Baton's own. */
  closedPorts(): readonly number[]
  /** Something was blocked. */
  /** Returns the line for the command, if it is another one. */
  onBlocked(blocked: Blocked): string | undefined
  /** For hosts with a certificate that only the user trusts. */
  trusted?: readonly string[] | undefined
  /** Packages that were downloaded before. */
  packages?: PackageCache | undefined
}
