import { describe, expect, it } from 'vitest';
import { PreparedAnswer } from './prepared-answer.ts';

describe('PreparedAnswer', () => {
  it('reads once for as long as nothing it depends on has changed', async () => {
    let version = 1;
    let reads = 0;
    const answer = new PreparedAnswer(
      () => [version],
      async () => ++reads,
    );
    const [first, second] = await Promise.all([answer.current(), answer.current()]);
    expect(first).toBe(second);
    expect(first.text).toBe('1');
    version = 2;
    expect((await answer.current()).text).toBe('2');
  });

  it('reads again when something changed during the reading', async () => {
    let version = 1;
    let reads = 0;
    const answer = new PreparedAnswer(
      () => [version],
      async () => {
        reads += 1;
        version += reads === 1 ? 1 : 0;
        return reads;
      },
    );
    expect((await answer.current()).text).toBe('1');
    expect((await answer.current()).text).toBe('2');
    expect((await answer.current()).text).toBe('2');
  });

  it('does not keep a failure', async () => {
    let reads = 0;
    const answer = new PreparedAnswer(
      () => [],
      async () => {
        reads += 1;
        if (reads === 1) throw new Error('disk');
        return reads;
      },
    );
    await expect(answer.current()).rejects.toThrow('disk');
    expect((await answer.current()).text).toBe('2');
  });
});
