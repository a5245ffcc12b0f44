/** The servers of a model, each with all methods; a base URL that the user set counts in addition. */
export function baseHosts(
  usual: readonly string[],
  baseUrls: readonly (string | undefined)[],
): readonly string[] {
  const named = baseUrls.flatMap(text => {
    const url = text === undefined ? null : URL.parse(text)
    return url && /^https?:$/.test(url.protocol) ? [url.origin] : []
  })
  return [...new Set([...usual.map(host => `https://${host}`), ...named])].map(origin => `* ${origin}`)
}

/** Settings without variables and headers of MCP servers, at any depth: that is where their tokens are. */
export function withoutServerSecrets(settings: unknown): unknown {
  if (Array.isArray(settings)) return settings.map(withoutServerSecrets)
  if (typeof settings !== 'object' || settings === null) return settings
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      name === 'mcpServers' ? withoutLogins(value) : withoutServerSecrets(value),
    ]),
  )
}

function withoutLogins(servers: unknown): unknown {
  if (typeof servers !== 'object' || servers === null) return servers
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => {
      if (typeof server !== 'object' || server === null) return [name, server]
      const { env: _env, headers: _headers, ...rest } = server as Record<string, unknown>
      return [name, rest]
    }),
  )
}
