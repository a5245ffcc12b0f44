import type { Session } from '@batonpass/contract/session'
import type { Store } from '../ports/store.ts'

/** Sessions kept at hand, so that a hook need not wait for a query. */
export class SessionCache {
  readonly #store: Pick<Store, 'findSession'>
  readonly #kept = new Map<string, Session>()

  constructor(store: Pick<Store, 'findSession'>) {
    this.#store = store
  }

  async find(id: string): Promise<Session | undefined> {
    return this.#kept.get(id) ?? (await this.#store.findSession(id))
  }

  keep(session: Session): void {
    this.#kept.delete(session.id)
    this.#kept.set(session.id, session)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_ITEMS && oldest !== undefined) this.#kept.delete(oldest)
  }

  drop(id: string): void {
    this.#kept.delete(id)
  }
}

const MAX_ITEMS = 500
