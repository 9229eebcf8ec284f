import type { WasteCheck, WasteProbe } from '@lcs/domain';

/** The larger exchange that a check asks for; undefined: none. */
export function probeOf(check: WasteCheck): WasteProbe | undefined {
  if (check.kind === 'probe') return check;
  return check.kind === 'unverifiable' ? check.probe : undefined;
}

/** Follows the reason of an exchange. */
export const probeReason = (volumeMl: number): string =>
  `It is ${volumeMl.toFixed(1)} mL at once, to see by its effect that waste leaves the vial.`;

/** Exchanges that are larger than usual, and the usual ones that they replace. */
export class WasteProbes {
  /** Washed out beyond what the usual exchanges would have: as many of them are left out. */
  #ahead = 0;
  #volumeMl = 0;

  /** Whether a usual exchange is left out for an earlier probe; it counts as done. */
  isAhead(exchangeMl: number, volumeMl: number): boolean {
    const usual = Math.log1p(exchangeMl / volumeMl);
    if (this.#ahead < usual) return false;
    this.#ahead -= usual;
    return true;
  }

  /**
   * Whether a probe begins now. At a held density it waits until the density is so far above its target that the probe leaves
   * it as far below (`ratio`: of density and target).
   */
  begin(exchangeMl: number, probe: WasteProbe, volumeMl: number, ratio: number | undefined): boolean {
    const more = Math.log1p(probe.volumeMl / volumeMl) - Math.log1p(exchangeMl / volumeMl);
    if (ratio !== undefined && Math.log(ratio) < (probe.factor * more) / 2) return false;
    if (ratio === undefined) this.#ahead += more;
    this.#volumeMl = probe.volumeMl;
    return true;
  }

  /** The volume of the probe that begins now; 0: a usual exchange. */
  takeVolumeMl(): number {
    const volumeMl = this.#volumeMl;
    this.#volumeMl = 0;
    return volumeMl;
  }

  reset(): void {
    this.#ahead = 0;
    this.#volumeMl = 0;
  }
}
