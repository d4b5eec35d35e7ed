/** What our own forms are as JSON Schema, for those who read that. */
import * as z from 'zod'

/** The schema of what goes in or comes out; the pattern of a date is left to its format. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  return rest
}
