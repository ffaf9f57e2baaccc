/** What tests of the page say: two things are the same, to the last digit. */
/** @param {unknown} found @param {unknown} expected */
export function same(found, expected) {
  const [got, wanted] = [found, expected].map((thing) => typeof thing === "object" ? JSON.stringify(thing) : thing);
  if (!Object.is(got, wanted)) throw new Error(`expected ${wanted}; got ${got}`);
}
