import { BatonError } from '@batonpass/contract/errors'
import type { AgentAdapter } from '../../../ports/agent.ts'

export const install: AgentAdapter['install'] = () => {
  throw new BatonError('internal', 'Installing is not there yet.')
}
export const uninstall: AgentAdapter['uninstall'] = () => {
  throw new BatonError('internal', 'Uninstalling is not there yet.')
}
export const installed: AgentAdapter['installed'] = () => 'no'
