import { createHash } from 'node:crypto';
import type { DesiredState } from '@lcs/contract';
import { canonicalJson } from '../canonical-json.ts';

export const isSame = (left: unknown, right: unknown): boolean => canonicalJson(left) === canonicalJson(right);

/** The content of a document: all fields except its version and its time. */
export function hasSameContent(left: DesiredState, right: DesiredState): boolean {
  const contentOf = ({ version: _version, leader_time: _leaderTime, ...content }: DesiredState) => content;
  return isSame(contentOf(left), contentOf(right));
}

export const checksum = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
