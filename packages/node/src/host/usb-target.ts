/** A mounted drive that can be written to. */
export interface UsbPlace {
  readonly device: string;
  readonly displayName: string;
  /** Absolute. */
  readonly mountpoint: string;
  readonly freeBytes: number;
}

/** What an export to a USB drive needs of the drives of its node. */
export interface UsbTarget {
  /**
   * The mounted drive, the first writable one when there are several.
   * @throws ApiError `usb_not_mounted`
   */
  place(): Promise<UsbPlace>;
}

/** Tasks that use a drive hold this lock, so that it is not taken out meanwhile. */
export const usbLock = 'usb-lock';
