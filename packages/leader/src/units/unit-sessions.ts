import type { StoredEnrolment } from '../queries/enrolments.ts';
import { type UnitSession, unknownUnit } from './unit-session.ts';
import { nextSession, type UnitEffect, type UnitEvent } from './unit-session-transitions.ts';

type Listener = (unit: string, effect: UnitEffect) => void;

/** The sessions of all units. An event changes a session; services that perform its effects subscribe to them. */
export class UnitSessions {
  readonly #sessions = new Map<string, UnitSession>();
  readonly #listeners: Listener[] = [];

  /** By any name: an unknown unit has an empty session. */
  of(unit: string): UnitSession {
    return this.#sessions.get(unit) ?? unknownUnit;
  }

  units(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  /** All units that belong to the cluster, by name. */
  members(): readonly string[] {
    return this.units()
      .filter((unit) => this.of(unit).membership === 'member')
      .sort();
  }

  /** The listener must not throw. It may dispatch events. */
  onEffect(listener: Listener): void {
    this.#listeners.push(listener);
  }

  dispatch(unit: string, event: UnitEvent): void {
    const { session, effects } = nextSession(this.of(unit), event);
    this.#sessions.set(unit, session);
    for (const effect of effects) for (const listener of this.#listeners) listener(unit, effect);
  }

  /** A machine has one name. */
  enrolled(enrolment: StoredEnrolment, nowMs: number, hasNewModel: boolean): void {
    const { reactor_unit: unit, machine_id } = enrolment;
    for (const [other, { identity }] of this.#sessions) {
      if (other !== unit && identity.is === 'enrolled' && identity.enrolment.machine_id === machine_id) {
        this.dispatch(other, { is: 'machine renamed' });
      }
    }
    this.dispatch(unit, { is: 'enrolled', enrolment, nowMs, hasNewModel });
  }
}
