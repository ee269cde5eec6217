// Figures as people read them.

/** 435290 as "435,290". */
export const whole = (value: number) => Math.round(value).toLocaleString('en-US');

/** Three digits: "1.23", "45.6", "789", "1,234". */
export function figure(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', {minimumFractionDigits: Math.min(digits, 6), maximumFractionDigits: Math.min(digits, 6)});
}

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** "1.5 MiB". */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; ++unit) value /= 1024;
  return `${unit === 0 ? value : figure(value)} ${units[unit]}`;
}

/** The time of `cycles` in milliseconds. */
export const milliseconds = (cycles: number, clock_mhz: number) => cycles / (clock_mhz * 1e3);
