import type { KeptRef, StepRecord } from '../../../ports/snapshots.ts'
import { parseMessage } from './details.ts'
import { gitAt, type Place, UNDO_REFS } from './place.ts'

/** Every stored step and tip of all worktrees of this repository. */
export async function readKept(place: Place): Promise<KeptRef[]> {
  const format = '--format=%(refname)%00%(creatordate:unix)'
  const { stdout } = await gitAt(place, ['for-each-ref', format, UNDO_REFS])
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line): KeptRef[] => {
      const [name = '', seconds] = line.split('\0')
      const found = NAME.exec(name)
      if (!found) return []
      return [
        {
          name,
          kind: found[2] ? 'tip' : 'step',
          foreign: found[1] !== place.refs,
          step: Number(found[3]),
          // A tip is the user's own commit: the time when Baton set it aside is in the ref's name.
          atMs: found[4] === undefined ? Number(seconds) * 1000 : Number(found[4]),
        },
      ]
    })
}

export const tipName = (place: Place, step: number, atMs: number, number: number): string =>
  `${place.refs}tip/${step}-${atMs}-${number}`

/** This worktree's steps, oldest first. */
export async function readSteps(place: Place): Promise<StepRecord[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(contents)%00'
  const { stdout } = await gitAt(place, ['for-each-ref', format, place.refs])
  const fields = stdout.toString('utf8').split('\0')
  const steps: StepRecord[] = []
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [name = '', commit = '', text = ''] = fields.slice(i, i + 3)
    const number = name.trimStart().slice(place.refs.length)
    const message = /^\d+$/.test(number) ? parseMessage(text.trimEnd()) : undefined
    if (!message) continue
    const { about, position, state, leftOut } = message
    steps.push({ ...about, step: Number(number), commit, position, state, leftOut })
  }
  return steps.sort((a, b) => a.step - b.step)
}

export async function dropRefs(place: Place, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const input = names.map(name => `delete ${name}\0\0`).join('')
  await gitAt(place, ['update-ref', '-z', '--stdin'], { input })
}

const NAME = /^(refs\/baton\/undo\/[0-9a-f]+\/)(tip\/)?(\d+)(?:-(\d+)-\d+)?$/
