import type { ComponentChildren } from 'preact'

/** An agent's text with the few Markdown elements that help reading. Everything else stays plain text. */
export function Prose({ text }: { text: string }) {
  return <div class="prose">{blocksOf(text).map((block, index) => blockView(block, index))}</div>
}

type Block =
  | { kind: 'code'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'list'; ordered: boolean; items: { text: string; done: boolean | undefined; deep: number }[] }
  | { kind: 'text'; text: string }

const ITEM = /^(\s*)(?:[-*+]|(\d{1,4})[.)])\s+(?:\[([ xX])\]\s+)?(.*)$/

function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const last = blocks.at(-1)
    const fence = /^\s*(```+|~~~+)/.exec(line)?.[1]
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    const item = ITEM.exec(line)
    if (fence) {
      const from = at + 1
      while (at + 1 < lines.length && !(lines[at + 1] ?? '').trim().startsWith(fence)) at++
      blocks.push({ kind: 'code', text: lines.slice(from, at + 1).join('\n') })
      at++
    } else if (heading?.[1])
      blocks.push({ kind: 'heading', level: heading[1].length, text: heading[2] ?? '' })
    else if (item) {
      const [, indent = '', number, box, content = ''] = item
      const entry = {
        text: content,
        done: box === undefined ? undefined : box !== ' ',
        deep: Math.min(3, Math.floor(indent.length / 2)),
      }
      const ordered = number !== undefined
      if (last?.kind === 'list' && last.ordered === ordered) last.items.push(entry)
      else blocks.push({ kind: 'list', ordered, items: [entry] })
    } else if (line.trim() === '') blocks.push({ kind: 'text', text: '' })
    else if (last?.kind === 'text' && last.text !== '') last.text += `\n${line}`
    else blocks.push({ kind: 'text', text: line })
  }
  return blocks.filter(block => block.kind !== 'text' || block.text !== '')
}

function blockView(block: Block, index: number) {
  switch (block.kind) {
    case 'code':
      return <pre key={index}>{block.text}</pre>
    case 'heading':
      // A heading in the text must not become a heading of the page.
      return (
        <p key={index} class="title" data-level={block.level}>
          {inline(block.text)}
        </p>
      )
    case 'text':
      return <p key={index}>{inline(block.text)}</p>
    case 'list': {
      const items = block.items.map(({ text, done, deep }, nth) => (
        <li key={nth} data-deep={deep} data-done={done}>
          {done === undefined ? null : <span class="box">{done ? '☑' : '☐'} </span>}
          {inline(text)}
        </li>
      ))
      return block.ordered ? <ol key={index}>{items}</ol> : <ul key={index}>{items}</ul>
    }
  }
}

/** Renders `code` and **bold**. Links stay plain text. */
export function inline(text: string): ComponentChildren {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((piece, index) => {
    if (/^`.+`$/.test(piece)) return <code key={index}>{piece.slice(1, -1)}</code>
    if (/^\*\*.+\*\*$/.test(piece)) return <b key={index}>{piece.slice(2, -2)}</b>
    return piece
  })
}
