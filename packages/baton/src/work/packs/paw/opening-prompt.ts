import type { StageName } from '@batonpass/contract/work'
import { rowOf } from './stage-table.ts'

/** The first prompt of a stage's new session: the Work ID, the agent's name, and the instruction. */
export function openingPrompt(about: {
  workId: string
  stage: StageName
  phase?: number | undefined
  instruction?: string | undefined
}): string {
  const { agent } = rowOf(about.stage)
  const task =
    about.phase === undefined
      ? ''
      : about.stage === 'implement'
        ? `: implement Phase ${about.phase}`
        : `, Phase ${about.phase}`
  const instruction = about.instruction?.trim()
  return [
    `Work ID: ${about.workId}`,
    '',
    `You are ${agent}${task}. Call paw_get_context with this Work ID first.`,
    ...(instruction ? ['', `Instruction: ${instruction}`] : []),
  ].join('\n')
}

/** The Work ID that a prompt names on its own line. */
export const workIdIn = (prompt: string): string | undefined =>
  /^[ \t]*Work ID:[ \t]*([a-z0-9-]{1,100})[ \t]*$/im.exec(prompt.slice(0, LOOKED_AT))?.[1]

/** The agent that a prompt names. */
export const agentIn = (prompt: string): string | undefined =>
  /\b(PAW-(?:0\d[A-Z]?|X|R\d[A-Z]) [A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)?)/.exec(prompt.slice(0, LOOKED_AT))?.[1]

/** The phase that an instruction names. */
export const phaseIn = (instruction: string | undefined): number | undefined =>
  Number(/\bphase\s+(\d{1,3})\b/i.exec((instruction ?? '').slice(0, LOOKED_AT))?.[1]) || undefined

/** The pull request whose review comments an instruction is about. */
export const pullIn = (instruction: string | undefined): number | undefined =>
  Number(
    /\breview comments on pull request #(\d{1,9})\b/i.exec((instruction ?? '').slice(0, LOOKED_AT))?.[1],
  ) || undefined

const LOOKED_AT = 4000
