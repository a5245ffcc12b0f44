/** Who calls a tool, and where. */
export interface ToolContext {
  project: string
  /** The caller opens conversations itself. */
  opensChats?: boolean
}
