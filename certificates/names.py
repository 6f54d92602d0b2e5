"""What a well-known name stands for: the only free words a statement may put before its formal phrase."""

NAMES: dict[str, str] = {
    "the golden ratio": "the only positive root of x^2 - x - 1",
    "the silver ratio": "the only positive root of x^2 - 2*x - 1",
    "the plastic number": "the only real root of x^3 - x - 1",
    "the tribonacci constant": "the only real root of x^3 - x^2 - x - 1",
    "the supergolden ratio": "the only real root of x^3 - x^2 - 1",
    "Lehmer's number": "the largest real root of x^10 + x^9 - x^7 - x^6 - x^5 - x^4 - x^3 + x + 1",
    "the connective constant of the honeycomb lattice": "the largest real root of x^4 - 4*x^2 + 2",
    "Euler's number e": "the number exp(1)",
    "Gelfond's constant": "the number exp(pi)",
    "the Gelfond-Schneider constant": "the number exp(sqrt(2)*ln(2))",
    "the principal value of i^i": "the number 1/exp(pi/2)",
    "the sine of one degree": "the number sin(pi/180) with angles in radians",
    "the tangent of one radian": "the number sin(1)/cos(1) with angles in radians",
    "the golden angle in radians": "the number pi*(3 - sqrt(5))",
    "the magic angle in radians": "the number arctan(sqrt(2))",
    "Levy's constant": "the number exp(pi*pi/(12*ln(2)))",
    "Apery's constant zeta(3)": "-5/2 times the sum over k >= 1 of (-1)^k*(k!)^2/(k^3*(2k)!)",
    "the modified Bessel value I_0(2)": "the sum over k >= 0 of 1/(k!)^2",
    "the Bessel value J_0(2)": "the sum over k >= 0 of (-1)^k/(k!)^2",
    "the Bessel value J_0(5)": "the sum over k >= 0 of (-25/4)^k/(k!)^2",
    "the integral of exp(-x^2) from 0 to 1": "the sum over k >= 0 of (-1)^k/((2k + 1)*k!)",
    "the integral of exp(-x^2) from 0 to 2": "2 times the sum over k >= 0 of (-4)^k/((2k + 1)*k!)",
    "the integral of sin(x)/x from 0 to 1": "the sum over k >= 0 of (-1)^k/((2k + 1)*(2k + 1)!)",
    "the integral of sin(x)/x from 0 to 10": "10 times the sum over k >= 0 of (-100)^k/((2k + 1)*(2k + 1)!)",
    "the integral of sin(x^2) from 0 to 1": "the sum over k >= 0 of (-1)^k/((4k + 3)*(2k + 1)!)",
    "the integral of cos(x^2) from 0 to 1": "the sum over k >= 0 of (-1)^k/((4k + 1)*(2k)!)",
    "the integral of (exp(x) - 1)/x from 0 to 1": "the sum over k >= 1 of 1/(k*k!)",
    "the integral of ln(1 - x)/x from 0 to 1/2": "-1 times the sum over k >= 1 of (1/2)^k/k^2",
    "the integral of ln(x)*exp(x) from 0 to 1": "-1 times the sum over k >= 1 of 1/(k*k!)",
    "the volume of the unit ball": "the number 4*pi/3",
    "Catalan's constant": "the sum over k >= 0 of (-1)^k/(2k + 1)^2",
    "the Dirichlet eta value eta(3)": "the sum over k >= 0 of (-1)^k/(k + 1)^3",
    "the Dirichlet beta value beta(3)": "the sum over k >= 0 of (-1)^k/(2k + 1)^3",
    "the Dirichlet beta value beta(4)": "the sum over k >= 0 of (-1)^k/(2k + 1)^4",
    "the integral of 1/(1 + x^3) from 0 to 1": "the sum over k >= 0 of (-1)^k/(3k + 1)",
    "the integral of 1/(1 + x^4) from 0 to 1": "the sum over k >= 0 of (-1)^k/(4k + 1)",
    "the trigamma value at 1/4 divided by 16": "the sum over k >= 0 of 1/(4k + 1)^2",
    "Euler's constant gamma": "the limit of 1 + 1/2 + ... + 1/n - ln(n) as n grows",
    "the continued fraction constant": (
        "the infinite continued fraction [0; 1, 2, 3, 4, ...] whose quotient k is k after the first"
    ),
    "the bronze ratio": (
        "the infinite continued fraction [3; 3, 3, 3, 3, ...] whose quotients are all 3 after the first"
    ),
    "the hyperbolic tangent of 1": (
        "the infinite continued fraction [0; 1, 3, 5, 7, ...] whose quotient k is 2k - 1 after the first"
    ),
    "the Dottie number": "the only solution x of cos(x) - x = 0 between 0 and 1 with angles in radians",
    "the Omega constant": "the only solution x of x*exp(x) - 1 = 0 between 0 and 1",
}
"""Name: the formal phrase, as the checker of its kind rebuilds it from the proof."""
