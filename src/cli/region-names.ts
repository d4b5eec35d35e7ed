/** The regions that wrangler.toml has a deployment for, in the order they are shown in. */
export const REGIONS = ['global', 'us', 'eu', 'in', 'sg'] as const

export type RegionName = (typeof REGIONS)[number]
