import { describe, expect, it } from 'vitest';
import { judgeVersion } from './version-change.ts';

const facts = { page: '1', leader: '2', hasUnsavedWork: false, reloadedFor: null };

describe('another version of the leader', () => {
  it('makes the page reload', () => {
    expect(judgeVersion(facts)).toBe('reload');
    expect(judgeVersion({ ...facts, leader: '1' })).toBe('same');
  });

  it('never takes away what is not saved', () => {
    expect(judgeVersion({ ...facts, hasUnsavedWork: true })).toBe('wait');
  });

  it('does not reload for ever when reloading does not help', () => {
    expect(judgeVersion({ ...facts, reloadedFor: '2' })).toBe('mismatch');
    expect(judgeVersion({ ...facts, reloadedFor: '2', leader: '3' })).toBe('reload');
  });
});
