import { markInvisible } from './invisible.tsx'
import { Scroller } from './scroller.tsx'

/** A patch with added and removed lines marked. A file's text stays text, and what is hidden in it becomes visible. */
export function Diff({ patch, label }: { patch: string; label: string }) {
  return (
    <Scroller look="text command diff" label={label}>
      {patch === ''
        ? 'No files.'
        : patch.split('\n').map((line, index) => (
            <span key={index} data-line={kindOf(line)}>
              {markInvisible(line)}
              {'\n'}
            </span>
          ))}
    </Scroller>
  )
}

function kindOf(line: string): 'file' | 'place' | 'added' | 'removed' | undefined {
  if (/^(?:diff |--- |\+\+\+ )/.test(line)) return 'file'
  if (line.startsWith('@@')) return 'place'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined
}
