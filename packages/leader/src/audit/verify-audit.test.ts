import { anyCharacter } from '@lcs/contract/testing';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { startAuditDatabase, temporaryFolder } from '../testing/test-leader.ts';
import { type AuditRecord, chained, chainStart, type NewAuditEntry, storedText } from './audit-entry.ts';
import { insertEntries } from './store-entries.ts';
import { followChain, verifyAudit } from './verify-audit.ts';

const anyText = fc.string({ unit: anyCharacter, maxLength: 12 }).map(storedText);
const textOrNull = fc.option(anyText);
const names = fc.record({ caller: anyText, caller_kind: anyText, caller_id: anyText, address: anyText });
const requested = fc.record({ operation: anyText, method: anyText, path: anyText, body: textOrNull });
const outcome = fc.record({ status: fc.integer({ min: 200, max: 599 }), code: textOrNull, request_id: anyText });
const later = fc.record({
  channel: textOrNull,
  experiment: textOrNull,
  unit: textOrNull,
  job: textOrNull,
  before: textOrNull,
  after: textOrNull,
  reason: textOrNull,
  units: textOrNull,
});
const absent = {
  channel: null,
  experiment: null,
  unit: null,
  job: null,
  before: null,
  after: null,
  reason: null,
  units: null,
};

const anyEntry: fc.Arbitrary<NewAuditEntry> = fc
  .tuple(fc.constantFrom(1 as const, 2 as const), fc.nat(), names, requested, outcome, later)
  .map(([format, at, ...parts]) => ({
    format,
    at,
    ...parts[0],
    ...parts[1],
    ...parts[2],
    ...(format === 1 ? absent : parts[3]),
  }));

const anyChain = fc.array(anyEntry, { minLength: 3, maxLength: 8 }).map((entries) => chained(chainStart, entries));

const isIntact = (entries: readonly AuditRecord[]): boolean =>
  followChain(
    chainStart,
    entries.toSorted((a, b) => a.seq - b.seq),
  ).firstWrong === null;

/** Another value for one field of an entry. */
const changedField = (entry: AuditRecord, at: number): AuditRecord => {
  const pairs = Object.entries(entry);
  const [name, value] = pairs[at % pairs.length] ?? ['at', 0];
  return {
    ...entry,
    [name]: name === 'format' ? 3 - entry.format : typeof value === 'number' ? value + 1 : `${value}x`,
  };
};

const tamperings: Readonly<Record<string, (chain: readonly AuditRecord[], at: number, pick: number) => AuditRecord[]>> =
  {
    changed: (chain, at, pick) => chain.map((entry, index) => (index === at ? changedField(entry, pick) : entry)),
    removed: (chain, at) => chain.filter((_, index) => index !== at),
    swapped: (chain, at) => {
      const other = (at + 1) % chain.length;
      const numberAt = (index: number) => chain[index === at ? other : index === other ? at : index]?.seq ?? 0;
      return chain.map((entry, index) => ({ ...entry, seq: numberAt(index) }));
    },
    inserted: (chain, at) =>
      chain.flatMap((entry, index) =>
        index < at
          ? [entry]
          : index === at
            ? [entry, { ...entry, seq: entry.seq + 1 }]
            : [{ ...entry, seq: entry.seq + 1 }],
      ),
  };

it.each(Object.keys(tamperings))('detects an entry that was %s', (kind) => {
  fc.assert(
    // The last entry may be removed: only an anchor elsewhere detects that.
    fc.property(anyChain, fc.nat(), fc.nat(), (chain, place, pick) => {
      expect(isIntact(chain)).toBe(true);
      const at = place % (chain.length - 1);
      expect(isIntact(tamperings[kind]?.(chain, at, pick) ?? [])).toBe(false);
    }),
    { numRuns: 40 },
  );
});

it('stores every text so that its hash stays valid', async () => {
  const folder = await temporaryFolder();
  const file = await startAuditDatabase(folder.path);
  onTestFinished(async () => {
    await file.stop();
    await folder[Symbol.asyncDispose]();
  });
  const links = chained(chainStart, fc.sample(anyEntry, { numRuns: 300, seed: 1 }));
  await file.write((transaction) => insertEntries(transaction, links));
  expect(await verifyAudit(file.read, new AbortController().signal)).toMatchObject({ entries: 300, firstWrong: null });
});
