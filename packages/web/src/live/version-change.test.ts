import { describe, expect, it } from 'vitest';
import { checkVersion } from './version-change.ts';

const facts = { page: '1', leader: '2', hasUnsavedWork: false, reloadedFor: null };

describe('another version of the leader', () => {
  it('reloads the web UI', () => {
    expect(checkVersion(facts)).toBe('reload');
    expect(checkVersion({ ...facts, leader: '1' })).toBe('same');
  });

  it('waits while there is unsaved input', () => {
    expect(checkVersion({ ...facts, hasUnsavedWork: true })).toBe('wait');
  });

  it('reloads once only', () => {
    expect(checkVersion({ ...facts, reloadedFor: '2' })).toBe('mismatch');
    expect(checkVersion({ ...facts, reloadedFor: '2', leader: '3' })).toBe('reload');
  });
});
