const TIMEOUT_MS = 10_000

interface WebhookNotice {
  kind: string
  title: string
  text: string
  project: string
  session?: string | undefined
  ask?: string | undefined
}

/** Posts each notice as JSON to the configured URL. Does not follow redirects, which could lead to another host. */
export function webhookNotifier({ now, redact }: { now(): number; redact(text: string): string }) {
  return {
    name: 'webhook' as const,
    reaches: true,
    async send(notice: WebhookNotice, { webhook }: { webhook: string }): Promise<boolean> {
      const { kind, title, text, project, session, ask } = notice
      const body = {
        kind,
        title: redact(title),
        text: redact(text),
        project,
        session,
        ask,
        at: new Date(now()).toISOString(),
      }
      const response = await fetch(webhook, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'baton' },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch(() => undefined)
      await response?.body?.cancel()
      return response?.ok ?? false
    },
  }
}
