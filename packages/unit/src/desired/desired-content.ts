import { createHash } from 'node:crypto';
import type { DesiredState } from '@lcs/contract';

/** JSON with the keys of every object in order: equal content gives equal text. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

export const isSame = (left: unknown, right: unknown): boolean => canonicalJson(left) === canonicalJson(right);

/** What makes one document another one: all but its version and the moment of its sending. */
export function hasSameContent(left: DesiredState, right: DesiredState): boolean {
  const contentOf = ({ version: _version, leader_time: _leaderTime, ...content }: DesiredState) => content;
  return isSame(contentOf(left), contentOf(right));
}

export const checksum = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
