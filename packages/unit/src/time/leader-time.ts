import { ApiError, Health } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import { Value } from 'typebox/value';

const limitMs = 3000;

/**
 * The time of the leader, in milliseconds since 1970, with half of the way there and back added.
 * @throws ApiError host_command_failed when the leader does not return it
 */
export async function requestLeaderTime(
  leaderUrl: URL,
  wire: Clock,
  send: typeof globalThis.fetch = fetch,
): Promise<number> {
  const failed = (cause: string) => new ApiError('host_command_failed', { what: 'take the time of its leader', cause });
  const begun = wire.monotonic();
  let response: unknown;
  try {
    const reply = await send(new URL('/unit_api/health', leaderUrl), { signal: AbortSignal.timeout(limitMs) });
    response = await reply.json();
  } catch (error) {
    throw failed(`The leader did not respond: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!Value.Check(Health, response)) throw failed('The leader sent an invalid response.');
  return Date.parse(response.utc_time) + (wire.monotonic() - begun) / 2;
}
