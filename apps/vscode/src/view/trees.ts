import type { Ask } from '@batonpass/contract/ask'
import type { Session } from '@batonpass/contract/session'
import type { WorkSummary } from '@batonpass/contract/work'
import * as vscode from 'vscode'
import { plain, visible } from '../ask/ask-text.ts'
import type { FolderWork, Picture } from '../daemon/live.ts'
import { contextText, ZONES } from './status-bar-text.ts'

/** A work item with its folder: the argument of its commands. */
export interface WorkNode extends WorkSummary {
  project: string
}

/** A flat list that is redrawn when the picture changes. */
class ListView<T> implements vscode.TreeDataProvider<T> {
  readonly #changes = new vscode.EventEmitter<undefined>()
  readonly onDidChangeTreeData = this.#changes.event
  readonly #nodesOf: (picture: Picture) => T[]
  readonly #item: (node: T) => vscode.TreeItem
  #nodes: T[] = []

  constructor(nodesOf: (picture: Picture) => T[], item: (node: T) => vscode.TreeItem) {
    this.#nodesOf = nodesOf
    this.#item = item
  }

  show(picture: Picture): void {
    this.#nodes = this.#nodesOf(picture)
    this.#changes.fire(undefined)
  }

  getChildren(node?: T): T[] {
    return node === undefined ? this.#nodes : []
  }

  getTreeItem(node: T): vscode.TreeItem {
    return this.#item(node)
  }
}

export const workTree = (): ListView<WorkNode> =>
  new ListView(
    ({ work }) => newestFirst(work),
    node => {
      const item = new vscode.TreeItem(plain(node.title))
      item.id = `${node.project} ${node.workId}`
      item.description = `${node.stage} · ${node.mode}`
      item.tooltip = `${node.workId}\n${plain(node.stage)}\nHandoff Mode: ${node.mode}\nChanged ${node.modifiedAt}\n${node.project}`
      item.accessibilityInformation = { label: `${plain(node.title)}, ${node.stage}, ${node.mode}` }
      item.iconPath = new vscode.ThemeIcon('milestone')
      item.contextValue = 'work'
      item.command = { command: 'paw.getWorkStatus', title: 'Get Work Status', arguments: [node] }
      return item
    },
  )

export const sessionTree = (): ListView<Session> =>
  new ListView(
    ({ sessions }) => sessions.toSorted((a, b) => b.lastSeenAt.localeCompare(a.lastSeenAt)),
    session => {
      const { agent, name, project, cwd, context, nativeSession } = session
      const place = `${agent} in ${plain((project ?? cwd ?? '').split('/').at(-1) ?? '')}`
      const item = new vscode.TreeItem(name ? plain(name) : place)
      item.id = session.id
      item.description = [name && place, contextText(session), session.lastEvent].filter(Boolean).join(' · ')
      item.tooltip = [
        `Session ${nativeSession}`,
        visible(project ?? cwd ?? ''),
        ...(context ? [`Context ${contextText(session)}: ${ZONES[context.zone]}`] : []),
        `Last seen ${session.lastSeenAt}`,
      ].join('\n')
      item.accessibilityInformation = { label: `${item.label}, ${item.description}` }
      const colour = COLOURS[context?.zone ?? 'unknown']
      item.iconPath = new vscode.ThemeIcon('pulse', colour ? new vscode.ThemeColor(colour) : undefined)
      item.contextValue = 'session'
      return item
    },
  )

export const askTree = (): ListView<Ask> =>
  new ListView(
    ({ asks }) => asks.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)),
    ask => {
      const item = new vscode.TreeItem(plain(ask.title))
      item.id = ask.id
      item.description = plain([ask.facts.sessionName, ask.detail.slice(0, 200)].filter(Boolean).join(' · '))
      item.tooltip = visible(ask.detail.slice(0, 2000))
      item.accessibilityInformation = { label: `${item.label}: ${item.description}` }
      item.iconPath = new vscode.ThemeIcon('question', new vscode.ThemeColor('list.warningForeground'))
      item.contextValue = 'ask'
      item.command = { command: 'baton.lookAtAsk', title: 'Show and answer', arguments: [ask.id] }
      return item
    },
  )

const COLOURS: Partial<Record<keyof typeof ZONES, string>> = {
  warn: 'list.warningForeground',
  trigger: 'list.errorForeground',
}

/** The items of all folders in one list, newest first. */
export const newestFirst = (work: readonly FolderWork[]): WorkNode[] =>
  work
    .flatMap(({ project, items }) => items.map(item => ({ ...item, project })))
    .sort((a, b) => b.modifiedAt.localeCompare(a.modifiedAt))
