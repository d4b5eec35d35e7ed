/** Environments as requests make them and answers show them, on the admin API and by `manage__*` tools. */
import * as z from 'zod'
import { EnvironmentName, ServerId, ToolName } from '../catalog/names.ts'

const Entry = z.strictObject({
  server: ServerId,
  account: z.string().min(1).max(100).optional().meta({
    description: 'The one account that is used in it; absent: any that the caller sees',
  }),
  tools: z
    .array(ToolName)
    .max(1000)
    .optional()
    .meta({ description: 'The tools it has, by their names on the server; absent: all' }),
})

/** What an environment has. */
export const EnvironmentEntries = z.strictObject({ entries: z.array(Entry).max(500) })
/** A new environment. */
export const EnvironmentBody = z.strictObject({
  name: EnvironmentName,
  ...EnvironmentEntries.shape,
})

/** An environment as it is. */
export const EnvironmentAnswer = z.strictObject({
  name: z.string(),
  entries: z.array(Entry),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
