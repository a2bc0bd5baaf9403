import { sql } from 'kysely'

/**
 * A condition, always true, by which a statement that is its own transaction does not wait for the disk. What a crash of
 * the database undoes is that deliveries were claimed or done: they are sent again, as at-least-once allows.
 */
export const commitLazily = sql`(select set_config('synchronous_commit', 'off', true)) is not null`
