import { describe, expect, it } from 'vitest';
import { checkVersion } from './version-change.ts';

const facts = { page: '1', leader: '2', hasUnsavedWork: false, reloadedFor: null };

describe('another version of the leader', () => {
  it('makes the page reload', () => {
    expect(checkVersion(facts)).toBe('reload');
    expect(checkVersion({ ...facts, leader: '1' })).toBe('same');
  });

  it('never takes away what is not saved', () => {
    expect(checkVersion({ ...facts, hasUnsavedWork: true })).toBe('wait');
  });

  it('does not reload for ever when reloading does not help', () => {
    expect(checkVersion({ ...facts, reloadedFor: '2' })).toBe('mismatch');
    expect(checkVersion({ ...facts, reloadedFor: '2', leader: '3' })).toBe('reload');
  });
});
