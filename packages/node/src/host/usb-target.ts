/** A mounted drive that can be written to. */
export interface UsbPlace {
  readonly device: string;
  readonly displayName: string;
  /** Absolute. */
  readonly mountpoint: string;
  readonly freeBytes: number;
}

/** The drives of a node, for an export to USB. */
export interface UsbTarget {
  /**
   * The mounted drive, the first writable one when there are several.
   * @throws ApiError `usb_not_mounted`
   */
  place(): Promise<UsbPlace>;
}

/** Tasks that use a drive hold this lock, so that it is not ejected meanwhile. */
export const usbLock = 'usb-lock';
