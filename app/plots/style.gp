# SPDX-License-Identifier: GPL-3.0-or-later
# What all plots have in common. They read a table with commas, more than once, and write a picture that looks alike in every
# format.
#   title   the text above
#   table   the file with the table
#   format  png, svg or pdf; png where nothing is said
if (!exists('format')) { format = 'png' }
set encoding utf8
if (format eq 'png') { set terminal pngcairo size 1000,750 enhanced font 'sans,14' }
if (format eq 'svg') { set terminal svg size 1000,750 enhanced font 'sans,14' background rgb '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 10in,7.5in enhanced font 'sans,14' fontscale 0.72 }
set grid xtics ytics linetype 1 linecolor rgb '#c8c8c8'
set border linewidth 1.5
set key bmargin center horizontal Left reverse noenhanced samplen 3 spacing 1.2 height 0.5
set title title font ',16' noenhanced
set datafile separator ','
set datafile columnheaders
colours = '#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #000000' # told apart by the colour-blind (Okabe and Ito)
