import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { challengeLifeMs, PasskeyChallenges } from './passkey-challenges.ts';
import { relyingPartyOf } from './relying-party.ts';

describe('the relying party of a request', () => {
  it.each([
    ['localhost:4999', 'localhost', ['https://localhost:4999', 'http://localhost:4999']],
    ['Lab.Example', 'lab.example', ['https://lab.example']],
    ['lab.example:8443', 'lab.example', ['https://lab.example:8443']],
  ])('of %s is %s', (host, id, origins) => {
    expect(relyingPartyOf(host)).toEqual({ id, origins });
  });

  it.each(['127.0.0.1:4999', '[::1]:4999', ''])('does not exist for %j', (host) => {
    expect(() => relyingPartyOf(host)).toThrow(expect.objectContaining({ code: 'passkeys_unavailable' }));
  });
});

describe('a challenge', () => {
  it('is answered once, in time, by whom it was made for', async () => {
    const clock = new VirtualClock();
    const challenges = new PasskeyChallenges(clock);
    const own = challenges.make('ada');
    expect([challenges.take(own, ''), challenges.take(own, 'ada'), challenges.take(own, 'ada')]).toEqual([
      false,
      true,
      false,
    ]);
    const late = challenges.make('ada');
    await clock.advance(challengeLifeMs);
    expect(challenges.take(late, 'ada')).toBe(false);
  });

  it('is forgotten when a thousand newer ones are open', () => {
    const challenges = new PasskeyChallenges(new VirtualClock());
    const first = challenges.make('');
    for (let count = 0; count < 1000; count += 1) challenges.make('');
    expect(challenges.take(first, '')).toBe(false);
  });
});
