import { createHash } from 'node:crypto';
import type { DesiredState } from '@lcs/contract';
import { canonicalJson } from '../canonical-json.ts';

export const isSame = (left: unknown, right: unknown): boolean => canonicalJson(left) === canonicalJson(right);

/** What makes one document another one: all but its version and the moment of its sending. */
export function hasSameContent(left: DesiredState, right: DesiredState): boolean {
  const contentOf = ({ version: _version, leader_time: _leaderTime, ...content }: DesiredState) => content;
  return isSame(contentOf(left), contentOf(right));
}

export const checksum = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
