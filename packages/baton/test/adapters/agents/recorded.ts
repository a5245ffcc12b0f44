import { readFileSync } from 'node:fs'

/** A payload from fixtures/. */
export function recorded(agent: string, name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${agent}/${name}.json`, import.meta.url), 'utf8'))
}
