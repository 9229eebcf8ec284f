import { text } from 'node:stream/consumers';
import { ApiError, StreamBody } from '@lcs/contract';
import { readZip, ZipFault, zippedTexts } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { fetchOver } from '../fleet/node-connections.ts';

interface ArchivedText {
  readonly name: string;
  readonly text: string;
}

type Collected =
  | { readonly unit: string; readonly files: readonly ArchivedText[] }
  | { readonly unit: string; readonly cause: string };

const unitLimitMs = 20_000;
/** Per unit: the leader requests the archives of all units at once. */
const mostBytes = 8 * 1024 * 1024;
const limits = { entries: 10_000, totalBytes: mostBytes, ratio: 1_000 };

/** The whole body, unless it exceeds the limit. */
async function bytesOf(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new Error(`The archive is larger than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const unpacked = (archive: Uint8Array): Promise<readonly ArchivedText[]> =>
  readZip(archive, limits, async (members) => {
    const files: ArchivedText[] = [];
    for (const member of members) {
      if (!member.isFolder) files.push({ name: member.name, text: await text(await member.open()) });
    }
    return files;
  });

async function collect(
  { units, wire, nodeHeaders, nodeAgent }: Pick<LeaderContext, 'units' | 'wire' | 'nodeHeaders' | 'nodeAgent'>,
  unit: string,
): Promise<Collected> {
  const base = units.addressOf(unit);
  if (base === undefined) return { unit, cause: 'The leader does not know its address: the unit has not enrolled.' };
  const limit = new AbortController();
  const cancel = wire.after(unitLimitMs, () => limit.abort(new Error(`Nothing came within ${unitLimitMs / 1000} s.`)));
  try {
    const url = new URL('/unit_api/zipped_calibrations', base);
    const response = await fetchOver(await nodeAgent(url))(url, { headers: nodeHeaders(url), signal: limit.signal });
    if (!response.ok) return { unit, cause: `It answered with HTTP ${response.status}.` };
    return { unit, files: await unpacked(await bytesOf(response)) };
  } catch (error) {
    if (error instanceof ZipFault) return { unit, cause: `Its archive cannot be read: ${error.message}` };
    return { unit, cause: error instanceof Error ? error.message : String(error) };
  } finally {
    cancel();
  }
}

async function* archived(collected: readonly Collected[], nowMs: number): AsyncGenerator<ArchivedText> {
  for (const one of collected) {
    if ('files' in one)
      for (const { name, text: content } of one.files) yield { name: `${one.unit}/${name}`, text: content };
  }
  const metadata = {
    metadata_version: 1,
    downloaded_at_utc: toTimestamp(nowMs),
    included: collected.flatMap((one) => ('files' in one ? [one.unit] : [])),
    omitted_units: collected.flatMap((one) => ('cause' in one ? [one.unit] : [])),
    omitted_causes: Object.fromEntries(collected.flatMap((one) => ('cause' in one ? [[one.unit, one.cause]] : []))),
  };
  yield { name: 'metadata.json', text: `${JSON.stringify(metadata, null, 2)}\n` };
}

/**
 * The calibration files of these units in one archive. Its metadata name the units that did not answer.
 * @throws ApiError unit_gave_no_answer when a single unit does not answer and `mustAnswer`
 */
export async function calibrationArchive(
  context: Pick<LeaderContext, 'units' | 'wire' | 'clock' | 'nodeHeaders' | 'nodeAgent'>,
  units: readonly string[],
  mustAnswer: boolean,
): Promise<StreamBody> {
  const collected = await Promise.all([...units].sort().map((unit) => collect(context, unit)));
  const missing = collected.find((one) => 'cause' in one);
  if (mustAnswer && missing !== undefined && 'cause' in missing)
    throw new ApiError('unit_gave_no_answer', { unit: missing.unit, cause: missing.cause });
  const nowMs = context.clock.now();
  return new StreamBody(zippedTexts(archived(collected, nowMs), nowMs));
}
