/** Where the sandbox shows certificates. */
export const CERTIFICATES = '/.baton/network'

/** Variables that name a proxy. If the user has one of them, the network is only reached through it. */
const USERS_PROXY = /^(https?|all)_proxy$/i

export const hasOwnProxy = (env: Readonly<Record<string, string | undefined>>): boolean =>
  Object.entries(env).some(([name, value]) => USERS_PROXY.test(name) && value !== undefined && value !== '')

/**
 * Points programs to the proxy, and to the certificates that it uses. `env` is the environment that the user started the agent
 * with.
 */
export function networkVariables(
  port: number,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`
  const own = `${CERTIFICATES}/ca.pem`
  const all = `${CERTIFICATES}/all.pem`
  const java = [
    `-Djavax.net.ssl.trustStore=${CERTIFICATES}/java.jks`,
    '-Djavax.net.ssl.trustStoreType=jks',
    ...['http', 'https'].flatMap(scheme => [
      `-D${scheme}.proxyHost=127.0.0.1`,
      `-D${scheme}.proxyPort=${port}`,
    ]),
    // Java's own list of hosts without a proxy, which this replaces, may differ by its version.
    '-Dhttp.nonProxyHosts=localhost|127.*|[::1]',
  ].join(' ')
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    // Servers of the session itself answer on its own loopback.
    NO_PROXY: 'localhost,127.0.0.1,::1',
    no_proxy: 'localhost,127.0.0.1,::1',
    NODE_EXTRA_CA_CERTS: own,
    // Node's own fetch uses the proxy only if told so.
    NODE_USE_ENV_PROXY: '1',
    // A machine's own npm settings may name another file.
    npm_config_cafile: all,
    SSL_CERT_FILE: all,
    CURL_CA_BUNDLE: all,
    REQUESTS_CA_BUNDLE: all,
    PIP_CERT: all,
    CARGO_HTTP_CAINFO: all,
    CARGO_HTTP_PROXY: proxy,
    GIT_SSL_CAINFO: all,
    BUNDLE_SSL_CA_CERT: all,
    // Java reads no variable of its own without a line of output for each program.
    MAVEN_OPTS: [env['MAVEN_OPTS'], java].filter(Boolean).join(' '),
    GRADLE_OPTS: [env['GRADLE_OPTS'], java].filter(Boolean).join(' '),
    // They would send more than a read.
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
    // Terraform looks for updates at a server of its own, with every command: the user would be asked about it.
    CHECKPOINT_DISABLE: '1',
  }
}
