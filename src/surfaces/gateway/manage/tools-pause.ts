/** `manage__tools_pause`: takes a tool off every list (`surfaces.md` D14). */
import { toolStatusTool } from './tool-status.ts'

export const toolsPause = toolStatusTool('paused', {
  operation: 'tools_pause',
  title: 'Pause a tool',
  description:
    'Takes a tool of a server off all lists, for everybody in the organization, until it is resumed. Only for admins.',
})
