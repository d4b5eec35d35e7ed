/** `manage__tools_resume`: puts a paused tool back on the lists (`surfaces.md` D14). */
import { toolStatusTool } from './tool-status.ts'

export const toolsResume = toolStatusTool('active', {
  operation: 'tools_resume',
  title: 'Resume a tool',
  description: 'Puts a paused tool of a server back on the lists. Only for admins.',
})
