import { stagesTable } from '../packs/paw/instructions/agent-file.ts'
import { promptFileName, templateFor } from '../packs/paw/prompt-templates.ts'
import { rowOf } from '../packs/paw/stage-table.ts'
import { commandFor } from './next-stage.ts'
import type { WorkCommand } from './parse-command.ts'
import type { Meaning } from './resolve-command.ts'

/** What the agent is told beside a prompt that is a command: what it means now, and that it is no work for it. */
export function explainCommand(workId: string, typed: string, meaning: Meaning): string {
  const command = `\`${typed.trim().split('\n', 1)[0]?.slice(0, 80)}\``
  switch (meaning.kind) {
    case 'hand-off': {
      const { step, agent, instruction } = meaning
      const said = [step.phase === undefined ? '' : `Phase ${step.phase}`, instruction ?? '']
        .filter(Boolean)
        .join(': ')
      const call = { target_agent: agent, work_id: workId, ...(said ? { inline_instruction: said } : {}) }
      return `${command} is a command of staged work and no task for you. It hands over to ${agent} (${rowOf(step.stage).title}${step.phase ? `, Phase ${step.phase}` : ''}). Do none of that work here: make sure that yours is saved and committed, call paw_call_agent with exactly ${JSON.stringify(call)} as your last action, and end your turn.`
    }
    case 'unmet':
      return `${command} is a command of staged work: ${commandFor(meaning.step)}. It cannot begin yet: ${meaning.missing.map(({ what, fix }) => `${what}. ${fix}`).join(' ')} Tell the user so, and do none of that work here.`
    case 'blocked':
      return `${command} is a command of staged work, but the work is blocked: ${meaning.reason}. Tell the user; offer no next steps. It goes on when the line \`Blocked:\` is removed from WorkflowContext.md.`
    case 'nothing':
      return `${command} is a command of staged work. ${meaning.why} Tell the user so; offer \`status\`.`
  }
}

/** For commands that hand nothing over. */
export function explainOther(
  workId: string | undefined,
  command: Extract<WorkCommand, { kind: 'status' | 'help' | 'list' | 'prompt' }>,
): string {
  switch (command.kind) {
    case 'status':
    case 'list':
      return `This is a command of staged work and no task: call baton_status${workId && command.kind === 'status' ? ` with ${JSON.stringify({ work_id: workId })}` : ' without a work_id'} and repeat what it says. Change nothing.`
    case 'help':
      return `This is a question about staged work and no task. Answer it from this, briefly and in your own words; change nothing.\n\n${stagesTable()}\n\nModes: manual waits for a command after each stage; semi-auto goes on by itself with research, planning and review and waits before decisions; auto goes through to the final pull request and needs the review strategy local. \`baton work mode ID MODE\` changes it; \`baton work new "TITLE"\` begins a work item; baton_status says where one stands.`
    case 'prompt': {
      const key = templateFor(command.stage)
      if (!key || !workId)
        return `This asks for a prompt file, but ${key ? 'no work item is known in this session: ask for its Work ID' : `there is no template for ${rowOf(command.stage).agent}`}. Tell the user so.`
      const call = {
        work_id: workId,
        template_key: key,
        filename: promptFileName(key, command.phase),
        ...(command.phase || command.instruction
          ? {
              additional_content: [command.phase && `Phase: ${command.phase}`, command.instruction]
                .filter(Boolean)
                .join('\n\n'),
            }
          : {}),
      }
      return `This asks for a prompt file to edit, not for work: call paw_generate_prompt with exactly ${JSON.stringify(call)}, and tell the user the path it returns.`
    }
  }
}
