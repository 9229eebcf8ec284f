import { describe, expect, it } from 'vitest';
import { createManualClock } from '../time/manual-clock.ts';
import { createPinPrompt, needsPin } from './pin-prompt.ts';

const olga = (endsMs: number) => ({ name: 'olga', csrfToken: 'hers', endsMs });

describe('a shared tablet', () => {
  it('asks for a PIN, once for all actions that wait, and not again for a minute', async () => {
    const clock = createManualClock(0);
    const prompt = createPinPrompt(clock);
    const tokens = [prompt.token(), prompt.token()];
    expect(prompt.state()).toEqual({ isAsked: true, acting: null });
    prompt.begin(olga(60_000));
    expect(await Promise.all(tokens)).toEqual(['hers', 'hers']);
    clock.advance(59_999);
    expect(await prompt.token()).toBe('hers');
    clock.advance(1);
    expect(prompt.state().acting).toBeNull();
    void prompt.token().catch(() => {});
    expect(prompt.state().isAsked).toBe(true);
  });

  it('does nothing when the person cancels, and asks the next one when they leave', async () => {
    const prompt = createPinPrompt(createManualClock(0));
    const token = prompt.token();
    prompt.cancel();
    await expect(token).rejects.toMatchObject({ body: { code: 'pin_cancelled' } });
    prompt.begin(olga(60_000));
    prompt.end();
    void prompt.token().catch(() => {});
    expect(prompt.state()).toEqual({ isAsked: true, acting: null });
  });

  it('asks for changes only, and not for those of its own session', () => {
    const tablet = { kind: 'tablet' } as const;
    expect(needsPin(tablet, 'POST', '/api/experiments')).toBe(true);
    expect(needsPin(tablet, 'GET', '/api/experiments')).toBe(false);
    expect(needsPin(tablet, 'POST', '/api/session/acting')).toBe(false);
    expect(needsPin({ kind: 'person' }, 'POST', '/api/experiments')).toBe(false);
    expect(needsPin(undefined, 'POST', '/api/experiments')).toBe(false);
  });
});
